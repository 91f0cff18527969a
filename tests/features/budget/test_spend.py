"""What a loop cost: the client's own figure, the priced transcripts, or unknown."""

import json
import os
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest
from msgspec.structs import replace

from untildone.agents.events import Stop
from untildone.app import open_context
from untildone.core.contract import Bounds
from untildone.engine.context import Context
from untildone.engine.loop_start import begin_loop
from untildone.engine.request import Request
from untildone.engine.verbs import move_loop
from untildone.features.budget import spend
from untildone.store.loops import Record
from untildone.store.sessions import Session

SESSION = "5f0c2a9e-0000-4000-8000-00000000000a"
OTHER = "5f0c2a9e-0000-4000-8000-00000000000b"
LATER = "2999-01-01T00:00:00.000Z"
# 4 USD for a million of this model's input.
MODEL = "claude-opus-5-5"


class Place:
    def __init__(self, folder: Path, *, before: bytes = b"") -> None:
        self.folder = folder
        self.transcript = folder / "talk.jsonl"
        self.here: Context = open_context({}, home=str(folder / "state"))
        self.session: Session = self.here.session(SESSION)
        if before:
            self.transcript.write_bytes(before)
        self.session.write_json("session.json", {"transcript": str(self.transcript)})
        asked = Request(session=SESSION, project=folder, promises=("X",), bounds=Bounds())
        self.record: Record = begin_loop(self.here, asked)

    def write(self, *lines: bytes, to: Path | None = None) -> None:
        path = to or self.transcript
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(b"".join(lines))

    def spent(self, transcript: object = None, *, attended: bool = False) -> float | None:
        told = str(self.transcript if transcript is None else transcript)
        event = Stop(session=SESSION, transcript=told, attended=attended)
        found = spend.measure_spend(self.here, self.record, event)
        return None if found is None else round(found, 6)

    def why(self) -> str:
        return spend.explain_unknown_spend(self.here, self.record)


def line(name: str, millions: float, *, at: str = LATER, model: str = MODEL) -> bytes:
    usage = {"input_tokens": int(millions * 1_000_000), "output_tokens": 0}
    said = {"id": name, "model": model, "usage": usage}
    return json.dumps({"type": "assistant", "timestamp": at, "message": said}).encode() + b"\n"


def filler(size: int) -> bytes:
    return b'{"type":"attachment","x":"' + b"x" * size + b'"}\n'


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_a_transcript_is_read_on_and_each_message_is_paid_once(place: Place) -> None:
    place.write(line("a", 1), line("a", 1))
    first = place.spent()
    place.write(line("a", 1), line("b", 0.5))

    assert (first, place.spent(), place.spent()) == (4, 6, 6)


def test_the_last_entry_of_a_message_has_all_of_its_tokens(place: Place) -> None:
    place.write(line("a", 0.1))
    place.spent()
    place.write(line("a", 1))

    assert place.spent() == 4


def test_cached_tokens_have_prices_of_their_own(place: Place) -> None:
    usage = {
        "input_tokens": 1000,
        "output_tokens": 200,
        "cache_read_input_tokens": 500,
        "cache_creation_input_tokens": 300,
        "cache_creation": {"ephemeral_1h_input_tokens": 100, "ephemeral_5m_input_tokens": 200},
    }
    said = {"id": "a", "model": MODEL, "usage": usage}
    place.write(json.dumps({"timestamp": LATER, "message": said}).encode() + b"\n")

    millionths = 1000 * 4 + 200 * 20 + 500 * 0.2 + 200 * 5 + 100 * 8
    assert place.spent() == pytest.approx(millionths / 1_000_000)


def test_what_was_said_before_the_loop_is_not_its_spend(tmp_path: Path) -> None:
    place = Place(tmp_path, before=line("a", 1))
    place.write(line("old", 1, at="2020-01-01T00:00:00.000Z"), line("b", 2))

    assert place.spent() == 8


def test_subagents_are_paid_too(place: Place) -> None:
    place.write(line("a", 1))
    place.write(line("s1", 1), to=place.folder / "talk" / "subagents" / "agent-1.jsonl")
    first = place.spent()
    place.write(line("s2", 1), to=place.folder / "talk" / "subagents" / "deep" / "agent-2.jsonl")

    assert (first, place.spent()) == (8, 12)


def test_a_fork_repeats_what_was_paid_already(place: Place) -> None:
    place.write(line("a", 1), line("b", 1))
    place.spent()
    fork = place.folder / "fork.jsonl"
    place.write(line("a", 1), line("b", 1), line("c", 1), to=fork)

    assert place.spent(fork) == 12


def test_messages_beyond_what_is_remembered_stay_paid(place: Place) -> None:
    place.write(*(line(f"m{number}", 0.001) for number in range(2_500)))
    first = place.spent()
    place.write(line("m2499", 0.001))

    assert (first, place.spent()) == (10, 10)


def test_a_line_that_is_still_being_written_is_read_when_it_is_whole(place: Place) -> None:
    whole = line("b", 1)
    place.write(line("a", 1), whole[:50])
    first = place.spent()
    place.write(whole[50:])

    assert (first, place.spent()) == (4, 8)


def test_much_that_came_at_once_is_read_in_parts(place: Place) -> None:
    place.write(line("a", 1))
    place.spent()
    place.write(filler(5_000_000), line("b", 1), filler(1_000_000), line("c", 1))

    assert place.spent() == 12


def test_of_a_transcript_nobody_knew_only_the_end_is_read(place: Place) -> None:
    unknown = place.folder / "other.jsonl"
    place.write(line("a", 1), filler(3_000_000), line("b", 1), to=unknown)

    assert place.spent(unknown) == 4


def test_a_transcript_that_was_written_anew_is_read_anew(place: Place) -> None:
    place.write(line("a", 1), filler(1_000))
    place.spent()
    place.transcript.write_bytes(line("a", 1) + line("b", 1))

    assert place.spent() == 8


def test_a_model_without_a_price_is_named_beside_what_is_known(place: Place) -> None:
    place.write(line("x", 1, model="claude-none-1"))
    nothing = place.spent()
    place.write(line("a", 1))

    assert (nothing, place.spent(), place.why()) == (
        None,
        4,
        "no price is known for `claude-none-1`",
    )


def test_a_library_of_prices_that_cannot_answer_costs_the_figure_only(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = ModuleType("genai_prices")
    broken.__spec__ = ModuleSpec("genai_prices", None)
    monkeypatch.setitem(sys.modules, "genai_prices", broken)
    place.write(line("a", 1))

    assert (place.spent(), place.why()) == (None, f"no price is known for `{MODEL}`")


def test_a_transcript_that_says_nothing_of_tokens_is_not_free(place: Place) -> None:
    place.write(filler(10), b"\xff\x00{\n", b"[" * 100_000 + b"\n")

    assert (place.spent(), place.why()) == (None, "")


@pytest.mark.parametrize("path", ["", "missing.jsonl", "/dev/zero", "/dev/null", "nul\0byte"])
def test_what_is_no_transcript_costs_the_figure_only(place: Place, path: str) -> None:
    assert place.spent(path) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_is_not_waited_for(place: Place) -> None:
    os.mkfifo(place.folder / "pipe.jsonl")
    place.write(line("a", 1))
    subagents = place.folder / "talk" / "subagents"
    subagents.mkdir(parents=True)
    os.mkfifo(subagents / "agent-1.jsonl")

    assert (place.spent(place.folder / "pipe.jsonl"), place.spent()) == (None, 4)


def test_a_ledger_that_is_damaged_is_begun_anew(place: Place) -> None:
    place.write(line("a", 1))
    place.spent()
    (place.here.loops.get_folder(place.record.contract.id) / "spend.json").write_bytes(b"{")

    assert place.spent() == 4


def test_without_prices_the_person_is_told_once_how_to_get_them(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    place.write(line("a", 1))

    spent = place.spent()
    told = [place.session.take("tell"), place.spent() or place.session.take("tell")]

    remedy = "`pip install 'untildone[cost]'` prices it"
    line_told = f"untildone: the spend is unknown, so the budget bounds nothing; {remedy}"
    assert (spent, told, place.why()) == (None, [line_told, ""], remedy)


def test_the_client_s_own_figure_comes_first_where_somebody_sits(place: Place) -> None:
    place.write(line("a", 1))
    loop = place.record.contract.id
    place.session.write_json("spend.json", {"loop": loop, "last": 3.0, "spent": 1.5})

    assert (place.spent(attended=True), place.spent()) == (1.5, 4)


def test_the_figure_of_another_loop_is_none(place: Place) -> None:
    place.session.write_json("spend.json", {"loop": "another", "last": 3.0, "spent": 1.5})

    assert place.spent(attended=True) is None


def test_what_a_loop_has_cost_goes_with_it_into_another_session(place: Place) -> None:
    loop = place.record.contract.id
    record = place.here.loops.load(loop)
    paid = replace(record.progress, spend_usd=2.5)
    record = place.here.loops.save(record, paid, kind="note", data={}, at=LATER)

    move_loop(place.here, record, OTHER)

    assert place.here.session(OTHER).read_json("spend.json") == {"loop": loop, "spent": 2.5}
