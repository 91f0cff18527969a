"""`python -m untildone.checks.repeat N COMMAND`: green only if N runs in a row are green."""

import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from untildone.checks.exit_reasons import NOT_FOUND
from untildone.checks.parsers import find_parsers
from untildone.commands.programs import find_programs
from untildone.core.contract import Check
from untildone.core.time_limits import find_time_limit
from untildone.process.command import parse_argv, quote_argument
from untildone.process.runner import Finished, end_runs_on_signal, run

_DAY = 86_400


def repeat_check(check: Check, times: int) -> Check:
    """Return a check that is green only if so many runs of this one are."""
    words = (sys.executable, "-I", "-m", "untildone.checks.repeat", str(times), check.command)
    parsers = find_parsers(find_programs(check.command))
    return replace(
        check,
        name=f"repeated:{check.name}",
        command=" ".join(map(quote_argument, words)),
        timeout=min(find_time_limit(check.timeout, ()) * times, _DAY),
        parser=check.parser or next(iter(parsers), ""),
        reason=f"{times} runs in a row must agree",
    )


def main(arguments: Sequence[str]) -> int:
    times, command = int(arguments[0]), arguments[1]
    finished: list[Finished] = []
    with end_runs_on_signal():
        while len(finished) < times and not _disagree(finished):
            finished.append(run(parse_argv(command), cwd=Path.cwd(), timeout=None))
    # Print one run only, since parsers expect a single report: the run that failed, if any.
    reported = next((ended for ended in finished if ended.exit_code != 0), finished[-1])
    _write(reported.text)
    if reported.missing:
        _write(f"{reported.missing}\n{parse_argv(command)[0]}: not found\n")
        return NOT_FOUND
    codes = ", ".join(str(ended.exit_code) for ended in finished)
    agreement = "do not agree" if _disagree(finished) else "agree"
    _write(f"\n{len(finished)} of {times} runs {agreement}: exit codes {codes}\n")
    return 1 if reported.exit_code is None else reported.exit_code


def _disagree(finished: Sequence[Finished]) -> bool:
    return len({ended.exit_code == 0 for ended in finished}) > 1


def _write(text: str) -> None:
    """Write bytes, because the encoding of stdout may lack characters of the program's output."""
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
