"""python -m tropism: claims that are defined in Python; everything else is the command line's."""

import argparse
import os
import sys

import tropism

from . import Error, __version__
from ._claim import case as cases
from ._claim import find
from ._claim.claim import nearest
from ._library import library, text

TEXT = f"""python -m tropism {__version__}: claims that are defined in Python.

python -m tropism check FILE [--option value]...

  check      judges the counterexample in FILE again, which NAME.check() wrote

Everything else is the work of the command line, 'tropism VERB'; in Python its
verbs are functions, 'tropism.flow(n=24)'.

'python -m tropism check --help' lists the options.
"""

CHECK = """Judges the instance in FILE (.npz) by the claim that wrote it. Reading the file
runs nothing; judging runs the source file in which the claim is defined, which
is named on stderr before. A file from somebody else names a file of your
machine: look at it first."""


def verbs():
    found = []
    while name := text(library.trop_verb_name(len(found))):
        found.append(name)
    return found


def wrong(sentence):
    print(f"tropism: {sentence}", file=sys.stderr)
    print("Try 'python -m tropism --help'.", file=sys.stderr)
    return 2


class Parser(argparse.ArgumentParser):
    def error(self, message):
        given = message.rpartition(" ")[2]
        options = [name for action in self._actions for name in action.option_strings]
        print(f"tropism: {message}{nearest(given, options) if given.startswith('-') else ''}", file=sys.stderr)
        print(f"Try '{self.prog} --help'.", file=sys.stderr)
        sys.exit(2)


def check(arguments):
    parser = Parser("python -m tropism check", description=CHECK, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", help="a counterexample, .npz")
    parser.add_argument("--source", metavar="FILE.py", help="where the claim is defined now")
    parser.add_argument("--json", action="store_true", help="the result as JSON")
    parser.add_argument("--report", metavar="FILE.html", help="the result as a page")
    given = parser.parse_args(arguments)
    _, about = cases.read(given.file)
    path, module = (given.source, None) if given.source else (about.get("source"), about.get("module"))
    id = str(about.get("claim"))
    if not isinstance(path, str):
        raise Error(f"{given.file}: {id} was defined at a prompt or in a notebook: judge it there, "
                    "NAME.judge(FILE), or say with --source FILE.py where it is defined now")
    path = find.usable(id, os.path.abspath(path))
    print(f"tropism: running {path}, which defines {id}", file=sys.stderr)
    claim = find.load(id, path, module if isinstance(module, str) else None)
    if not given.source and find.source(claim)["sha256"] != about.get("sha256"):
        print(f"tropism: {path} has changed since {given.file} was written", file=sys.stderr)
    result = claim.judge(given.file)
    if given.report:
        result.report(given.report)
    print(result.to_json() if given.json else result, flush=True)
    return 0


def main(arguments):
    if not arguments or arguments[0] in ("--help", "-h", "help"):
        print(TEXT, end="")
        return 0 if arguments else wrong("which verb?")
    if arguments[0] == "--version":
        print(f"tropism {__version__}")
        return 0
    verb = arguments[0]
    if verb != "check":
        if verb in verbs():
            function = f"; in Python it is tropism.{verb}()" if hasattr(tropism, verb) else ""
            return wrong(f"{verb}: is the command line's, 'tropism {verb}'{function}")
        return wrong(f"{verb}: unknown verb" + nearest(verb, ["check", *verbs()]))
    try:
        return check(arguments[1:])
    except Error as error:
        print(f"tropism: {error}", file=sys.stderr)
        return 2 if error.status == "arg" else 1
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read the answer had enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
