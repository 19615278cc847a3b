#!/bin/bash
# slurm.sh BUILD -- a study under Slurm: slurmctld, slurmd and munged of its own at 127.0.0.1, an array
# of 8 tasks through the script that 'study slurm' prints, and the same catalogue as of one process.
#
# The site takes arrays of 8 and the study is cut in 20 shards, so that tasks take several; a task is
# killed before it did anything, so that it must be asked again. Nothing of this machine's own Slurm
# is touched: configuration, key, sockets and ports are of this run. Ends with 77 (CTest: skipped)
# where Slurm is not installed.
set -eu
build=$(cd "${1:?usage: slurm.sh BUILD}" && pwd)
cd "$(dirname "$0")/.."
PATH=$PATH:/usr/sbin:/sbin
for program in slurmctld slurmd sbatch munged; do
    if ! command -v "$program" >/dev/null; then
        echo "slurm: skipped: there is no $program ('scripts/dependencies.sh cluster' installs it)"
        exit 77
    fi
done

scratch=$(mktemp -d)
daemons=()
stop() {
    scancel --quiet --me 2>/dev/null || true
    for ((k = ${#daemons[@]} - 1; k >= 0; k--)); do
        kill "${daemons[k]}" 2>/dev/null || true
        wait "${daemons[k]}" 2>/dev/null || true
    done
    rm -rf "$scratch"
}
trap stop EXIT
fail() {
    echo "slurm: $*"
    tail -n 30 "$scratch"/*.log "$scratch"/study/*/slurm/* "$scratch"/study/slurm-* 2>/dev/null || true
    exit 1
}

# ---- Slurm ---------------------------------------------------------------------------------------

read -r -a ports < <(/usr/bin/python3 -c '
import socket
ends = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
print(*(end.getsockname()[1] for end in ends))')
mkdir "$scratch/state" "$scratch/spool" "$scratch/munge"
chmod 711 "$scratch/munge"
chmod 755 "$scratch"
head -c 128 /dev/urandom >"$scratch/munge/key"
chmod 600 "$scratch/munge/key"
munged --foreground --force --key-file="$scratch/munge/key" --socket="$scratch/munge/socket" \
    --pid-file="$scratch/munge/pid" --log-file="$scratch/munged.log" \
    --seed-file="$scratch/munge/seed" --origin=127.0.0.1 --num-threads=2 >/dev/null 2>"$scratch/munged.err.log" &
daemons+=($!)
# Daemons that do not listen on all addresses listen on the one that the machine's name stands for;
# elsewhere than on loopback nobody would find them there. Who has no key of this run is refused anyhow.
listen=""
case $(getent hosts "$(uname -n)") in
127.*) listen=CommunicationParameters=NoInAddrAny,NoCtldInAddrAny ;;
esac
cat >"$scratch/slurm.conf" <<END
ClusterName=tropism
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=${ports[0]}
SlurmdPort=${ports[1]}
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthInfo=socket=$scratch/munge/socket
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
$listen
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_min_interval=0,sched_interval=1,batch_sched_delay=0,bf_interval=1
MaxArraySize=8
KillWait=1
NodeName=here NodeHostname=localhost NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes=here Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$scratch/slurm.conf
# until SECONDS COMMAND...: waits for it.
until_true() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || fail "waited in vain for: $*"
        sleep 0.1
    done
}
until_true 10 test -S "$scratch/munge/socket"
slurmctld -D -c -L "$scratch/slurmctld.log" 2>/dev/null &
daemons+=($!)
slurmd -D -c -N here -L "$scratch/slurmd.log" 2>/dev/null &
daemons+=($!)
is_idle() {
    [ "$(sinfo --noheader --format=%T 2>/dev/null)" = idle ]
}
until_true 20 is_idle

# ---- a study, by one process and by tasks --------------------------------------------------------

mkdir "$scratch/study"
cd "$scratch/study"
study="it's 100% clusters.yaml"
cat >"$study" <<'END'
verb: flow
rule: localmax
epsilon: 0:1:0.25
alpha: [0.5, 1, 2]
n: 12
seed: 1..40
steps: 50
keep: [clusters, converged, steps, diameter]
END
# The second task dies before it did anything, the first time.
cat >tropism-once <<END
#!/bin/sh
if [ "\${SLURM_ARRAY_TASK_ID:-}" = 1 ] && [ "\$2" = run ] && mkdir died 2>/dev/null; then
    kill -KILL \$PPID
fi
exec '$build/tropism' "\$@"
END
chmod +x tropism-once

# The values of every point, to their bits: by all axes a row is a point, and its means are values.
rows_of() {
    [ -e "$1/catalogue.sqlite" ] || fail "nobody merged $1"
    "$build/tropism" study table "$1" --by epsilon,alpha,seed --out "$1.csv" >/dev/null
}

"$build/tropism" study run "$study" --out one >/dev/null
"$build/tropism" study merge one >/dev/null
rows_of one
[ "$(wc -l <one.csv)" = 601 ] || fail "one process has $(wc -l <one.csv) lines"

is_over() {
    local queue
    queue=$(squeue --noheader 2>/dev/null) && [ -z "$queue" ]
}
# compare OUT: after everything that was submitted has ended.
compare() {
    until_true 30 is_over
    rows_of "$1"
    cmp one.csv "$1.csv" || fail "$1 is not what one process computes"
}

"$build/tropism" study slurm "$study" --tasks 20 --time 5 --out "many '100%'" >job.sh
sh -n job.sh
sbatch --test-only --array=0-7 job.sh 2>/dev/null || fail "sbatch does not take the script"
TROPISM=$PWD/tropism-once sh job.sh --comment="of a test" 2>said || fail "$(cat said)"
compare "many '100%'"
[ -d died ] || fail "no task died"
grep -q "at most 8 tasks" said || fail "packing was not said: $(cat said)"
left=$(find "many '100%'/slurm" -name 'done-*' | wc -l)
[ "$left" = 0 ] || fail "$left signs of tasks are left"

# As it is, by sbatch: the array of the directive.
"$build/tropism" study slurm "$study" --tasks 8 --time 0:05:00 --out plain >plain.sh
TROPISM=$build/tropism sbatch --parsable plain.sh >/dev/null
compare plain

# Without a script of ours, tasks find their shard by themselves, and say so.
sbatch --parsable --array=2-5 --output="wrapped-%a.txt" \
    --wrap="'$build/tropism' study run \"$study\" --out wrapped" >/dev/null
until_true 30 is_over
grep -q "shard 1/4, by SLURM_ARRAY_TASK_ID" wrapped-3.txt || fail "$(cat wrapped-3.txt)"
"$build/tropism" study merge wrapped >/dev/null
compare wrapped
echo "slurm: arrays of 8 tasks, one of them killed and asked again: the catalogue of one process"
