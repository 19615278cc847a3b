"""wheel-carry.py WHEEL -- puts into a repaired wheel what auditwheel leaves to the system.

auditwheel takes the libraries of X11 and zlib for granted, as every desktop has them. Servers and
small containers do not, and cairo asks for them when the package is imported. What is left to the
system after this are the C library, the compilers' run times, and expat, which Python needs itself: Debian
12's asks for a newer C library than all the others.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

from auditwheel.wheeltools import InWheelCtx

SYSTEM = re.compile(r"(ld-linux.*|lib(c|m|dl|pthread|rt|resolv|expat|gcc_s|stdc\+\+))\.so\..*")


def patchelf(*words):
    return subprocess.run(
        ["patchelf", *map(str, words)], check=True, capture_output=True, text=True
    ).stdout.split()


def missing(folder):
    """Pairs of a file and a library that it needs and that is neither carried nor the system's."""
    files = [*folder.glob("tropism.libs/*.so*"), folder / "tropism/_tropism.so"]
    names = {file.name for file in files}
    return [
        (file, name)
        for file in files
        for name in patchelf("--print-needed", file)
        if name not in names and not SYSTEM.fullmatch(name)
    ]


def carried_as(libs, name):
    """The file under which auditwheel carries a library: libxcb-35e21829.so.1.1.0 for libxcb.so.1."""
    stem, end = name.split(".so")
    files = [file for file in libs.iterdir() if re.fullmatch(
        rf"{re.escape(stem)}-[0-9a-f]{{8}}\.so{re.escape(end)}(\..*)?", file.name)]
    return files[0].name if files else None


def system_path(name):
    for line in subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True).stdout.splitlines():
        if line.split() and line.split()[0] == name and "x86-64" in line:
            return Path(line.split()[-1])
    sys.exit(f"wheel-carry: {name}: not found")


def carry(folder):
    libs = folder / "tropism.libs"
    while todo := missing(folder):
        file, name = todo[0]
        known = carried_as(libs, name)
        if known:
            patchelf("--replace-needed", name, known, file)
        else:
            shutil.copy(system_path(name), libs / name)
            patchelf("--set-rpath", "$ORIGIN", libs / name)
            print(f"wheel-carry: {name}")
        if file.parent == libs:
            patchelf("--set-rpath", "$ORIGIN", file)


def main(wheel):
    with InWheelCtx(wheel, wheel) as context:
        carry(Path(context.path))


main(Path(sys.argv[1]).resolve())
