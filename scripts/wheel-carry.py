"""wheel-carry.py WHEEL MAP TABLE -- what a repaired wheel contains of others: it must be what the table
of the page docs/wheel.md lists, and the licences are added.
wheel-carry.py --size WHEEL -- a wheel is not larger than the page promises.

MAP is what the linker wrote: the static libraries of which it took a part.
"""

import re
import subprocess
import sys
from pathlib import Path

from auditwheel.wheeltools import InWheelCtx

LARGEST = 15e6
# The C library, which is left to the system; of it comes a static part of no more than its name.
SYSTEM = re.compile(r"ld-linux.*|lib(c|m|dl|pthread|rt)\.so\..*")
NONSHARED = {"libc_nonshared.a", "libpthread.a"}


def output(*words):
    return subprocess.run(list(map(str, words)), check=True, capture_output=True, text=True).stdout


def refuse(sentence):
    sys.exit(f"wheel-carry: {sentence}")


def archives(map_file):
    """Paths of the static libraries that the linker took parts of, by name."""
    text = map_file.read_text(errors="replace").split("Memory Configuration")[0]
    paths = {Path(path).resolve() for path in re.findall(r"^(/\S+\.a)\(", text, re.M)}
    return {alias(path.name): path for path in paths if path.name not in NONSHARED}


def alias(name):
    """libopenblasp-r0.3.21.a is the file behind libopenblas.a."""
    return re.sub(r"^libopenblas.*\.a$", "libopenblas.a", name)


def shared(folder):
    """The libraries that are files of the wheel: libgomp-f9a9ad78.so.1.0.0 by the name libgomp.so."""
    files = sorted(folder.glob("*.libs/*.so*"))
    return {re.sub(r"-[0-9a-f]{8}\.so.*", ".so", file.name): file for file in files}


def listed(page):
    """The names in the first column of the page's table."""
    rows = [row.split("|")[1] for row in page.read_text().splitlines() if row.startswith("| `lib")]
    return {name for row in rows for name in re.findall(r"`(lib[^`]*)`", row)}


def check(inside, folder, page):
    expected = listed(page)
    if unlisted := sorted(inside - expected):
        refuse(f"{', '.join(unlisted)}: in the wheel, and not in the table of {page.name}")
    if absent := sorted(expected - inside):
        refuse(f"{', '.join(absent)}: in the table of {page.name}, and not in the wheel")
    files = [*folder.glob("*.libs/*.so*"), folder / "tropism/_tropism.so"]
    names = {file.name for file in files}
    for file in files:
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-d", file)):
            if name not in names and not SYSTEM.fullmatch(name):
                refuse(f"{file.name} needs {name}, which is not in the wheel")
    exported = re.findall(r" [A-TV-Zuvw] (\w+)", output("nm", "-D", "--defined-only", folder / "tropism/_tropism.so"))
    if others := [name for name in exported if not name.startswith("trop_")]:
        refuse(f"_tropism.so exports {', '.join(others[:3])}: {len(others)} names of others")


def system_path(name):
    """Where this machine has libgomp.so.1 and its like."""
    for line in output("/sbin/ldconfig", "-p").splitlines():
        if re.fullmatch(rf"{re.escape(name)}\.[0-9]+", line.split()[0]) and "x86-64" in line:
            return Path(line.split()[-1]).resolve()
    refuse(f"{name}: not found")


def packages(paths):
    """Debian's packages of the files: source package to (version, copyright file, names of files)."""
    found = {}
    for name, path in paths.items():
        package = output("dpkg-query", "-S", path).split(":")[0]
        source, version = output("dpkg-query", "-W", "-f=${source:Package} ${source:Version}\n", package).split()[:2]
        found.setdefault(source, (version, Path("/usr/share/doc") / package / "copyright", []))[2].append(name)
    return found


def add_licences(folder, paths):
    """The copyright file of each, the licences that these refer to, and a list."""
    licences = next(folder.glob("*.dist-info")) / "licenses" / "carried"
    licences.mkdir(parents=True)
    lines = ["Contained in this wheel; the sources are those of Debian 12, by package and version.", ""]
    common = set()
    for source, (version, path, names) in sorted(packages(paths).items()):
        text = path.read_text(encoding="utf-8", errors="replace")
        common.update(re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", text))
        (licences / f"{source}.txt").write_text(text)
        lines.append(f"{source} {version}: {' '.join(sorted(names))} ({source}.txt)")
    for name in sorted(common):
        path = Path("/usr/share/common-licenses") / name
        if path.exists():
            (licences / f"{path.resolve().name}.txt").write_bytes(path.read_bytes())
    (licences / "LIST.txt").write_text("\n".join(lines) + "\n")


def main(wheel, map_file, page):
    wheel, map_file, page = (Path(path).resolve() for path in (wheel, map_file, page))
    with InWheelCtx(wheel, wheel) as context:
        folder = Path(context.path)
        paths = archives(map_file)
        check(set(paths) | set(shared(folder)), folder, page)
        paths.update((name, system_path(name)) for name in shared(folder))
        add_licences(folder, paths)


def size(wheel):
    if wheel.stat().st_size > LARGEST:
        refuse(f"{wheel.name} has {wheel.stat().st_size / 1e6:.1f} MB: at most {LARGEST / 1e6:.0f} are promised")


if sys.argv[1] == "--size":
    size(Path(sys.argv[2]))
else:
    main(*sys.argv[1:])
