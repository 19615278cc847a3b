"""wheel-unpack.py ARCHIVE FOLDER -- makes FOLDER what is in an archive of sources, and leaves alone
what already is: files that are the same keep their dates, and a build there what it has compiled."""

import os
import sys
import tarfile
from pathlib import Path


def unpack(archive, folder):
    kept = set()
    with tarfile.open(archive) as tar:
        for member in filter(tarfile.TarInfo.isfile, tar):
            path = folder / Path(member.name).relative_to(Path(member.name).parts[0])
            content = tar.extractfile(member).read()
            kept.add(path)
            if not (path.is_file() and path.read_bytes() == content):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            path.chmod(member.mode)
    for name, _, files in os.walk(folder):
        if folder / "build" not in [Path(name), *Path(name).parents]:
            for path in {Path(name) / file for file in files} - kept:
                path.unlink()


unpack(sys.argv[1], Path(sys.argv[2]))
