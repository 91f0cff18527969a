"""Plays the cases and prints, by category, what was detected and what was a false alarm."""

import argparse
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path

import msgspec

from bench.integrity.case import Folder, list_allowances, read_cases
from bench.integrity.own import write_cases
from bench.integrity.stage import Broken, Stage
from bench.integrity.table import Judged, format_table, judge
from bench.integrity.toolbox import Toolbox, install_toolbox, open_toolbox


def main(argv: Sequence[str]) -> int:
    given = _build_parser().parse_args(argv)
    tools = open_toolbox(given.tools.resolve()) if given.tools else install_toolbox()
    with _open_folder(tools, keep=given.keep) as top:
        cases = read_cases(given.cases.resolve()) if given.cases else write_cases(top / "cases")
        cases = [each for each in cases if given.only in each.case.name]
        results = list(_play_all(cases, tools, top, jobs=given.jobs))
    if given.json:
        print(json.dumps(msgspec.to_builtins(results), indent=1))
    else:
        print(format_table(results))
    return int(not all(result.right for result in results))


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.integrity", description=__doc__)
    parser.add_argument("--cases", type=Path, help="a folder of cases, not ours")
    parser.add_argument("--tools", type=Path, help="a folder with `venv/` and `node/`")
    parser.add_argument("--only", default="", help="only cases with this in their name")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true", help="print every case as JSON")
    parser.add_argument("--keep", action="store_true", help="leave the folders of the cases behind")
    return parser


@contextmanager
def _open_folder(tools: Toolbox, *, keep: bool) -> Iterator[Path]:
    """A folder for the cases, beside the modules that JavaScript looks for above its project."""
    # Not named after us: hooks look closer at payloads that mention us.
    top = Path(tempfile.mkdtemp(prefix="cases-"))
    if tools.modules.is_dir():
        (top / "node_modules").symlink_to(tools.modules)
    try:
        yield top
    finally:
        if keep:
            print(f"left in {top}", file=sys.stderr)
        else:
            shutil.rmtree(top, ignore_errors=True)


def _play_all(cases: list[Folder], tools: Toolbox, top: Path, *, jobs: int) -> Iterator[Judged]:
    with ThreadPoolExecutor(jobs) as pool:
        futures = [
            pool.submit(_play, folder, tools, top, allowed=allowed)
            for folder in cases
            for allowed in ((True, False) if folder.case.approvals else (True,))
        ]
        for number, future in enumerate(as_completed(futures), 1):
            result = future.result()
            print(f"{number}/{len(futures)} {result.line}", file=sys.stderr, flush=True)
            yield result


def _play(folder: Folder, tools: Toolbox, top: Path, *, allowed: bool) -> Judged:
    began = time.monotonic()
    box = top / (folder.case.name + ("" if allowed else "-unasked"))
    stage = Stage(folder, tools, box)
    try:
        played = stage.play(list_allowances(folder.case) if allowed else [])
    except Broken as reason:
        return judge(folder.case, str(reason), allowed=allowed, seconds=time.monotonic() - began)
    return judge(folder.case, played, allowed=allowed, seconds=time.monotonic() - began)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
