"""The course of a loop, read from its journal."""

from pathlib import Path
from typing import Any

import msgspec
import pytest

from store.samples import AT, advance, contract, make_round
from untildone.core.progress import BaselineRun
from untildone.store.history import History, build_history
from untildone.store.journal import Entry
from untildone.store.loops import Loops

ACTIVE = {"status": "active"}
PAUSED = {"status": "paused", "outcome": "paused", "reason": "by the user"}
CANCELLED = {"status": "finished", "outcome": "cancelled", "reason": "by the user"}


def entry(kind: str, second: int, progress: dict[str, str], **data: Any) -> Entry:  # noqa: ANN401  any data
    state: dict[str, object] = {"progress": progress}
    at = f"10:00:{second:02}"
    return Entry(n=second + 1, at=at, kind=kind, data=data, state=state, previous="", hash="")


def round_data(number: int = 1, **fields: object) -> dict[str, Any]:
    return {**msgspec.to_builtins(make_round(number)), **fields}


@pytest.mark.parametrize(
    ("entries", "ended"),
    [
        pytest.param([entry("started", 0, ACTIVE)], ("", False), id="active"),
        pytest.param(
            [entry("paused", 1, PAUSED), entry("note", 2, PAUSED, text="later")],
            ("10:00:01", False),
            id="what is recorded later is not the end",
        ),
        pytest.param(
            [entry("paused", 1, PAUSED), entry("continued", 2, ACTIVE)], ("", False), id="resumed"
        ),
        pytest.param(
            [entry("paused", 1, PAUSED), entry("cancelled", 2, CANCELLED)],
            ("10:00:02", False),
            id="paused, then cancelled",
        ),
        pytest.param([entry("round", 3, PAUSED, **round_data())], ("10:00:03", True), id="round"),
    ],
)
def test_when_and_by_what_the_loop_ended(entries: list[Entry], ended: tuple[str, bool]) -> None:
    history = build_history(entries)

    assert (history.ended_at, history.ended_by_round) == ended


def test_a_round_has_the_notes_since_the_previous_one() -> None:
    history = build_history(
        [
            entry("note", 1, ACTIVE, text="a"),
            entry(
                "stop", 2, ACTIVE, **round_data(0, notes=["relayed at a stop that did not count"])
            ),
            entry("round", 3, ACTIVE, **round_data(1, notes=["relayed"])),
            entry("round", 4, ACTIVE, **round_data(2)),
        ]
    )

    assert [each.notes for each in history.rounds] == [
        ("a", "relayed at a stop that did not count", "relayed"),
        (),
    ]


def test_an_entry_of_an_older_version_has_no_details_of_the_baseline() -> None:
    assert build_history([entry("baseline", 1, ACTIVE, red=["test"])]) == History(
        baseline=BaselineRun(), entries=2
    )


def test_it_names_the_last_entry_and_the_contract_of_that_time(tmp_path: Path) -> None:
    loops = Loops(tmp_path)
    record = loops.create(contract())
    (entry,) = loops.read_journal(record.contract.id)

    history = loops.read_history(record)

    sealed = (entry.state or {})["contract"]
    assert (history.entries, history.head, history.contract) == (1, entry.hash, sealed)


def test_what_was_recorded_after_a_record_was_read_does_not_belong_to_it(tmp_path: Path) -> None:
    loops = Loops(tmp_path)
    first = advance(loops, loops.create(contract()))
    second = advance(loops, first)

    assert [len(loops.read_history(each).rounds) for each in (first, second)] == [1, 2]
    assert loops.read_history(first).rounds[0].at == AT
