"""Switches each row's feature off and shows that its test fails; the exit code tells if all did."""

import argparse
import re
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from queue import SimpleQueue

from bench.coming_from.copies import Copy
from bench.coming_from.table import PAGE, ROWS, TOP, Row, read_tools, render_page

_TESTS_FAILED = 1


def main(argv: Sequence[str]) -> int:
    given = _build_parser().parse_args(argv)
    known = read_tools(given.rows.resolve())
    if given.write:
        PAGE.write_text(render_page(known), encoding="utf-8", newline="")
        return 0
    rows = {
        name: row
        for tool, its in known.items()
        for row in its.row
        if given.only in (name := f"{tool}/{row.name}")
    }
    # Not named after us: hooks look closer at payloads that mention us.
    with tempfile.TemporaryDirectory(prefix="copies-") as folder:
        places = [Path(folder) / str(number) for number in range(given.jobs)]
        copies = [Copy(given.repository.resolve(), place) for place in places]
        return _run_rows(rows, copies)


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.coming_from", description=__doc__)
    parser.add_argument("--only", default="", help="only rows with this in their name: hope/budget")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--rows", type=Path, default=ROWS, help="a folder of tables")
    parser.add_argument("--repository", type=Path, default=TOP, help="what is copied")
    parser.add_argument("--write", action="store_true", help="write the page of the documentation")
    return parser


def _run_rows(rows: dict[str, Row], copies: list[Copy]) -> int:
    tests = sorted({row.test for row in rows.values()})
    workers = len(copies) if len(copies) > 1 else 0
    code, printed = copies[0].tested(tests, "-n", str(workers))
    failed = set(re.findall(r"(?m)^(?:FAILED|ERROR) ([^\s\[]+)", printed))
    if code and not failed:
        print(printed)
        return 1
    for test in sorted(failed):
        print(f"fails with every feature on: {test}")
    print(f"{len(tests) - len(failed)} tests pass with every feature on", flush=True)
    sound = {name: row for name, row in rows.items() if row.test not in failed}
    seen = 0
    for number, (line, noticed) in enumerate(_switch_off_all(sound, copies), 1):
        print(f"{number}/{len(sound)} {line}", flush=True)
        seen += noticed
    print(f"{seen} of {len(rows)} features are noticed when they are gone")
    return int(seen < len(rows))


def _switch_off_all(rows: dict[str, Row], copies: list[Copy]) -> Iterator[tuple[str, bool]]:
    free: SimpleQueue[Copy] = SimpleQueue()
    for copy in copies:
        free.put(copy)

    def one(name: str, row: Row) -> tuple[str, bool]:
        began = time.monotonic()
        copy = free.get()
        try:
            code, printed = copy.without(row)
        finally:
            free.put(copy)
        seconds = f"{name} ({time.monotonic() - began:.0f} s)"
        if code == _TESTS_FAILED:
            return f"noticed     {seconds}", True
        # Code that cannot even be imported shows nothing about the feature.
        why = "" if code == 0 else f"\n{printed[-2_000:]}"
        return f"NOT NOTICED {seconds}: {row.test} exits {code}{why}", False

    with ThreadPoolExecutor(len(copies)) as pool:
        futures = [pool.submit(one, name, row) for name, row in rows.items()]
        for future in as_completed(futures):
            yield future.result()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
