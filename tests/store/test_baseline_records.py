"""What the checks found before the agent began, kept whole and unaltered."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from core.samples import failing, finding, result
from core.samples import make_baseline as known
from store.samples import AT, advance, start_loop
from untildone.core.check_results import BaselineResult, CheckResult
from untildone.store import baseline_records
from untildone.store.durable_files import DamagedFileError
from untildone.store.loops import Loops, Record

RESULTS = (failing("t1", "by\udcfftes"), result("red", "lint", findings=(finding(),)))


def test_whole_and_as_far_as_a_stop_needs_it(tmp_path: Path) -> None:
    digest = baseline_records.write_results(tmp_path, RESULTS)

    assert baseline_records.read_results(tmp_path, digest, tuple[CheckResult, ...]) == RESULTS
    assert baseline_records.read_results(tmp_path, digest, tuple[BaselineResult, ...]) == known(
        *RESULTS
    )


def test_what_is_too_large_is_not_kept(tmp_path: Path) -> None:
    huge = result("red", output="x" * (baseline_records.MAX_RESULTS_SIZE + 1))

    assert baseline_records.write_results(tmp_path, (huge,)) == ""
    assert list(tmp_path.iterdir()) == []


def with_baseline(home: Path) -> tuple[Loops, Record]:
    loops, record = start_loop(home, rounds=1)
    digest = baseline_records.write_results(loops.get_folder("a-loop"), RESULTS)
    progress = replace(record.progress, baseline=digest)
    return loops, loops.save(record, progress, kind="baseline", data={}, at=AT)


def easier(path: Path) -> None:
    baseline_records.write_results(path.parent.parent, (result("green"),))


def a_file_for_the_folder(path: Path) -> None:
    path.unlink()
    path.parent.rmdir()
    path.parent.touch()


@pytest.mark.parametrize(
    ("tamper", "what"),
    [
        pytest.param(Path.unlink, "is missing", id="removed"),
        pytest.param(a_file_for_the_folder, "is missing", id="no folder"),
        pytest.param(easier, "was altered", id="rewritten by our own means"),
        pytest.param(lambda path: path.write_text("x"), "was altered", id="overwritten"),
    ],
)
def test_an_altered_baseline_breaks_the_seal_until_the_user_goes_on_without_it(
    tmp_path: Path, tamper: Callable[[Path], object], what: str
) -> None:
    loops, record = with_baseline(tmp_path)
    path = loops.get_folder("a-loop") / "baseline" / "results.json"
    assert loops.explain_broken_seal("a-loop") == ""
    tamper(path)

    assert loops.explain_broken_seal("a-loop") == f"`{path}` {what}"
    with pytest.raises(DamagedFileError, match=what):
        baseline_records.read_results(
            loops.get_folder("a-loop"), record.progress.baseline, tuple[CheckResult, ...]
        )

    resealed = loops.reseal("a-loop", at=AT)
    assert resealed.progress == replace(record.progress, baseline="")
    assert (path.exists(), loops.explain_broken_seal("a-loop")) == (False, "")


def test_sealing_anew_keeps_an_intact_baseline(tmp_path: Path) -> None:
    loops, record = with_baseline(tmp_path)

    resealed = loops.reseal("a-loop", at=AT)

    assert resealed.progress == record.progress
    assert advance(loops, resealed).progress.baseline == record.progress.baseline
    assert loops.explain_broken_seal("a-loop") == ""
