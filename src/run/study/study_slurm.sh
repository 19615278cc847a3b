
# ---- what follows is the same in every script --------------------------------------------------

tropism=${TROPISM:-$tropism}

say() {
    printf 'study: %s\n' "$*" >&2
}

fail() {
    say "$@"
    exit 1
}

# Points that have no row yet; nothing when that cannot be told.
count_left() {
    "$tropism" study status "$out" --json | sed -n 's/.*"left": *\([0-9][0-9]*\).*/\1/p'
}

# The most tasks that an array may have here; where Slurm does not say, what it has by itself.
largest_array() {
    scontrol show config 2>/dev/null |
        sed -n 's/^MaxArraySize *= *//p; s/.*max_array_tasks=\([0-9][0-9]*\).*/\1/p' |
        sort -n | sed -n 1p
}

# Tasks that have not said that they are done, as Slurm writes lists: 0,3-7.
missing_tasks() {
    list='' task=0 begun=''
    while [ "$task" -le "$tasks" ]; do
        if [ "$task" -lt "$tasks" ] && [ ! -e "$out/slurm/done-$first-$task" ]; then
            begun=${begun:-$task}
        elif [ -n "$begun" ]; then
            list=$list,$begun
            [ "$begun" = $((task - 1)) ] || list=$list-$((task - 1))
            begun=''
        fi
        task=$((task + 1))
    done
    printf '%s' "${list#,}"
}

# Texts of jobs go beside the results; Slurm gives the sign % a meaning.
texts() {
    printf '%s/slurm/' "$out" | sed 's/%/%%/g'
}

# submit LIST [OPTION OF SBATCH]...: the tasks of a list.
submit() {
    list=$1
    shift
    mkdir -p "$out/slurm" || exit 1
    array=$(sbatch --parsable "$@" --array="$list${at_once:+%$at_once}" --output="$(texts)%A_%a.txt" \
        "$0" work "$round" "$tasks" "$first" "$tropism") ||
        fail "the tasks $list were not accepted: what is done stays done, and this script goes on from there"
    array=${array%%;*}
    first=${first:-$array}
}

# follow LEFT [OPTION OF SBATCH]...: the job that begins when the tasks of $array have ended, well or not.
follow() {
    left=$1
    shift
    after=$(sbatch --parsable "$@" --array=0 --dependency="afterany:$array" --output="$(texts)%A.txt" \
        "$0" collect "$round" "$tasks" "$first" "$tropism" "$left" "$@") ||
        fail "no job waits for $array: afterwards say '$tropism study merge' and the folder"
    say "round $round: array $array, then job ${after%%;*}; both end by: scancel $array ${after%%;*}"
}

begin() {
    program=$(command -v "$tropism") || fail "$tropism: no such program; TROPISM=... says where it is"
    tropism=$program # jobs may have another PATH
    command -v sbatch >/dev/null || fail "there is no sbatch here: this is for a machine with Slurm"
    [ -r "$file" ] || fail "$file: not here; start this where 'study slurm' was"
    tasks=$(largest_array)
    tasks=${tasks:-1001}
    [ "$tasks" -gt 0 ] || fail "Slurm takes no arrays here (MaxArraySize = 0)"
    if [ "$tasks" -lt "$shards" ]; then
        say "arrays have at most $tasks tasks here: each takes up to $(((shards + tasks - 1) / tasks)) of $shards shards"
    else
        tasks=$shards
    fi
    submit "0-$((tasks - 1))" "$@"
    follow '' "$@"
}

work() {
    mkdir -p "$out/slurm" || exit 1
    status=0 shard=$SLURM_ARRAY_TASK_ID
    while [ "$shard" -lt "$shards" ]; do
        "$tropism" study run "$file" --out "$out" --shard "$shard/$shards" \
            --threads "${threads:-${SLURM_CPUS_ON_NODE:-1}}" \
            ${point_limit:+--point-limit "$point_limit"} ${proof:+--proof} || status=1
        shard=$((shard + tasks))
    done
    if [ "$status" = 0 ]; then
        : >"$out/slurm/done-$first-$SLURM_ARRAY_TASK_ID"
        # Nobody reads the texts of 500 tasks that ended well.
        rm -f "$out/slurm/${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID.txt"
    fi
    exit "$status"
}

# What a task could not do, it or another is asked again, as long as that gets anywhere.
collect() {
    before=$1
    shift
    left=$(count_left)
    [ -n "$left" ] || fail "$out: how many points are left cannot be told"
    if [ "$left" -gt 0 ] && [ "$left" != "$before" ] && [ "$round" -lt "$rounds" ]; then
        list=$(missing_tasks)
        round=$((round + 1))
        submit "${list:-0-$((tasks - 1))}" "$@"
        follow "$left" "$@"
        exit 0
    fi
    "$tropism" study merge "$out" || exit 1
    rm -f "$out/slurm/done-$first-"*
    [ "$left" = 0 ] ||
        fail "$left points are left after round $round, which is the last or did none: $out/slurm may say why"
    say "every point has its row"
}

# ROUND TASKS FIRST PROGRAM, which jobs tell each other; first: the array of the first round.
if [ "${1:-}" = work ] || [ "${1:-}" = collect ]; then
    action=$1 round=$2 tasks=$3 first=${4:-${SLURM_ARRAY_JOB_ID:-}} tropism=$5
    shift 5
    "$action" "$@"
elif [ -n "${SLURM_ARRAY_TASK_ID:-}" ]; then
    # Given to sbatch as it is: the array is the one above, and its first task sees to what follows.
    round=1 tasks=$SLURM_ARRAY_TASK_COUNT first=$SLURM_ARRAY_JOB_ID array=$SLURM_ARRAY_JOB_ID
    if [ "$SLURM_ARRAY_TASK_ID" = "$SLURM_ARRAY_TASK_MIN" ] && [ "${SLURM_RESTART_COUNT:-0}" = 0 ]; then
        mkdir -p "$out/slurm"
        (follow '')
    fi
    work
else
    round=1 first=''
    begin "$@"
fi
