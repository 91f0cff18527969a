"""`python -m untildone.checks.go_coverage N COMMAND`: runs `go test`, red below N % coverage."""

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from untildone.checks.exit_reasons import NOT_FOUND
from untildone.core.late_patterns import compile_late
from untildone.process.command import parse_argv
from untildone.process.runner import end_runs_on_signal, run

# total:	(statements)	75.0%
_TOTAL = compile_late(r"(?m)^total:\s+\(statements\)\s+(?P<percent>[\d.]+)%\s*$")


def main(arguments: Sequence[str]) -> int:
    minimum, command = float(arguments[0]), arguments[1]
    with tempfile.TemporaryDirectory(prefix="untildone-") as folder, end_runs_on_signal():
        profile = Path(folder) / "profile"
        tested = run(
            [*parse_argv(command), f"-coverprofile={profile}"], cwd=Path.cwd(), timeout=None
        )
        measured = run(["go", "tool", "cover", f"-func={profile}"], cwd=Path.cwd(), timeout=None)
    sys.stdout.write(tested.text)
    if tested.missing:
        sys.stdout.write("go: not found\n")
        return NOT_FOUND
    total = _TOTAL.search(measured.text)
    if tested.exit_code != 0 or total is None:
        return tested.exit_code or 1
    sys.stdout.write(measured.text)
    sys.stdout.write(f"{total['percent']} % of the statements are covered, required: {minimum:g}\n")
    return int(float(total["percent"]) < minimum)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
