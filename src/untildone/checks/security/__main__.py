"""`python -m untildone.checks.security`: the security check as a command of its own."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from untildone.checks.exit_reasons import NOT_EXECUTABLE, NOT_FOUND
from untildone.checks.findings import Diagnostic
from untildone.checks.security.engine import MissingProgramError, scan_paths
from untildone.errors import UserError

FOUND = 1


def main(arguments: Sequence[str]) -> int:
    """Print the findings; return 126 or 127, as a shell does, if the check could not run."""
    parser = argparse.ArgumentParser(prog="untildone.checks.security", description=__doc__)
    parser.add_argument("--rules", action="append", type=Path, default=[], metavar="DIR")
    parser.add_argument("paths", nargs="*", type=Path, default=[Path()], metavar="PATH")
    options = parser.parse_args(arguments)
    try:
        found = scan_paths(options.paths, cwd=Path.cwd(), rules=tuple(options.rules))
    except UserError as error:
        sys.stderr.write(f"error: {error}\nhint: {error.hint}\n")
        if not isinstance(error, MissingProgramError):
            return NOT_EXECUTABLE
        sys.stderr.write("ast-grep: not found\n")
        return NOT_FOUND
    sys.stdout.write("".join(map(_format, found)) or "no security findings\n")
    return FOUND if found else 0


def _format(found: Diagnostic) -> str:
    return f"{found.path}:{found.line}:1: {found.severity}[{found.code}]: {found.text}\n"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
