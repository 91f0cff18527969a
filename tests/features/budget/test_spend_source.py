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
from untildone.core.contract import Amendment, Bounds
from untildone.engine.verbs import move_loop
from untildone.extras import describe_extra
from untildone.features.budget import spend_source
from world import OTHER_SESSION, SESSION, World

LATER = "2999-01-01T00:00:00.000Z"
# 4 USD for a million of this model's input.
MODEL = "claude-opus-5-5"


class PricedLoop(World):
    """A loop whose cost is read from the transcript of its session."""

    def __init__(self, folder: Path, *, before: bytes = b"") -> None:
        super().__init__(folder)
        self.transcript = folder / "talk.jsonl"
        if before:
            self.transcript.write_bytes(before)
        self.session.write_json("session.json", {"transcript": str(self.transcript)})
        self.start(checks=(), promises=("X",), bounds=Bounds())

    def append(self, *lines: bytes, to: Path | None = None) -> None:
        path = to or self.transcript
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.write(b"".join(lines))

    def spent(self, transcript: object = None, *, attended: bool = False) -> float | None:
        path = str(self.transcript if transcript is None else transcript)
        event = Stop(session=SESSION, transcript=path, attended=attended)
        spent = spend_source.measure_spend(self.context, self.record, event)
        return None if spent is None else round(spent, 6)

    def why(self) -> str:
        return spend_source.explain_unknown_spend(self.context, self.record)


def line(name: str, millions: float, *, at: str = LATER, model: str = MODEL) -> bytes:
    usage = {"input_tokens": int(millions * 1_000_000), "output_tokens": 0}
    said = {"id": name, "model": model, "usage": usage}
    return json.dumps({"type": "assistant", "timestamp": at, "message": said}).encode() + b"\n"


def filler(size: int) -> bytes:
    return b'{"type":"attachment","x":"' + b"x" * size + b'"}\n'


@pytest.fixture
def priced(tmp_path: Path) -> PricedLoop:
    return PricedLoop(tmp_path)


def test_a_transcript_is_read_on_and_each_message_is_paid_once(priced: PricedLoop) -> None:
    priced.append(line("a", 1), line("a", 1))
    first = priced.spent()
    priced.append(line("a", 1), line("b", 0.5))

    assert (first, priced.spent(), priced.spent()) == (4, 6, 6)


def test_the_last_entry_of_a_message_has_all_of_its_tokens(priced: PricedLoop) -> None:
    priced.append(line("a", 0.1))
    priced.spent()
    priced.append(line("a", 1))

    assert priced.spent() == 4


def test_cached_tokens_have_prices_of_their_own(priced: PricedLoop) -> None:
    usage = {
        "input_tokens": 1000,
        "output_tokens": 200,
        "cache_read_input_tokens": 500,
        "cache_creation_input_tokens": 300,
        "cache_creation": {"ephemeral_1h_input_tokens": 100, "ephemeral_5m_input_tokens": 200},
    }
    said = {"id": "a", "model": MODEL, "usage": usage}
    priced.append(json.dumps({"timestamp": LATER, "message": said}).encode() + b"\n")

    millionths = 1000 * 4 + 200 * 20 + 500 * 0.2 + 200 * 5 + 100 * 8
    assert priced.spent() == pytest.approx(millionths / 1_000_000)


def test_what_was_said_before_the_loop_is_not_its_spend(tmp_path: Path) -> None:
    priced = PricedLoop(tmp_path, before=line("a", 1))
    priced.append(line("old", 1, at="2020-01-01T00:00:00.000Z"), line("b", 2))

    assert priced.spent() == 8


def test_subagents_are_paid_too(priced: PricedLoop) -> None:
    priced.append(line("a", 1))
    priced.append(line("s1", 1), to=priced.folder / "talk" / "subagents" / "agent-1.jsonl")
    first = priced.spent()
    priced.append(line("s2", 1), to=priced.folder / "talk" / "subagents" / "deep" / "agent-2.jsonl")

    assert (first, priced.spent()) == (8, 12)


def test_a_fork_repeats_what_was_paid_already(priced: PricedLoop) -> None:
    priced.append(line("a", 1), line("b", 1))
    priced.spent()
    fork = priced.folder / "fork.jsonl"
    priced.append(line("a", 1), line("b", 1), line("c", 1), to=fork)

    assert priced.spent(fork) == 12


def test_messages_beyond_what_is_remembered_stay_paid(priced: PricedLoop) -> None:
    priced.append(*(line(f"m{number}", 0.001) for number in range(2_500)))
    first = priced.spent()
    priced.append(line("m2499", 0.001))

    assert (first, priced.spent()) == (10, 10)


def test_a_line_that_is_still_being_written_is_read_when_it_is_whole(priced: PricedLoop) -> None:
    whole = line("b", 1)
    priced.append(line("a", 1), whole[:50])
    first = priced.spent()
    priced.append(whole[50:])

    assert (first, priced.spent()) == (4, 8)


def test_much_that_came_at_once_is_read_in_parts(priced: PricedLoop) -> None:
    priced.append(line("a", 1))
    priced.spent()
    priced.append(filler(5_000_000), line("b", 1), filler(1_000_000), line("c", 1))

    assert priced.spent() == 12


def test_of_a_transcript_nobody_knew_only_the_end_is_read(priced: PricedLoop) -> None:
    unknown = priced.folder / "other.jsonl"
    priced.append(line("a", 1), filler(3_000_000), line("b", 1), to=unknown)

    assert priced.spent(unknown) == 4


def test_a_transcript_that_was_written_anew_is_read_anew(priced: PricedLoop) -> None:
    priced.append(line("a", 1), filler(1_000))
    priced.spent()
    priced.transcript.write_bytes(line("a", 1) + line("b", 1))

    assert priced.spent() == 8


def test_a_model_without_a_price_is_named_beside_what_is_known(priced: PricedLoop) -> None:
    priced.append(line("x", 1, model="claude-none-1"))
    nothing = priced.spent()
    priced.append(line("a", 1))

    assert (nothing, priced.spent(), priced.why()) == (
        None,
        4,
        "no price is known for `claude-none-1`",
    )


def test_a_library_of_prices_that_cannot_answer_costs_the_figure_only(
    priced: PricedLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = ModuleType("genai_prices")
    broken.__spec__ = ModuleSpec("genai_prices", None)
    monkeypatch.setitem(sys.modules, "genai_prices", broken)
    priced.append(line("a", 1))

    assert (priced.spent(), priced.why()) == (None, f"no price is known for `{MODEL}`")


def test_a_transcript_that_says_nothing_of_tokens_is_not_free(priced: PricedLoop) -> None:
    priced.append(filler(10), b"\xff\x00{\n", b"[" * 100_000 + b"\n")

    assert (priced.spent(), priced.why()) == (None, "")
    record = replace(priced.record, progress=replace(priced.record.progress, round=1))
    assert spend_source.explain_unknown_spend(priced.context, record) == (
        "Claude Code reports no cost"
    )


def test_a_run_counts_what_one_client_prints_and_what_another_writes(priced: PricedLoop) -> None:
    priced.session.write("driver", str(os.getpid()))
    priced.append(line("a", 1), filler(3_000_000), line("b", 1))
    event = Stop(session=SESSION, transcript=str(priced.transcript), spent_usd=0.5, attended=False)
    measure = spend_source.measure_spend
    # All of it: the conversation began with the loop.
    assert measure(priced.context, priced.record, event) == 8.5
    printed = replace(event, transcript="", spent_usd=1)
    assert measure(priced.context, priced.record, printed) == 1
    # The next client takes over, and prints what it costs.
    moved = Amendment(by="user", at="2026-11-17T12:00:00Z", agent="claude")
    progress = replace(priced.record.progress, amendments=(moved,))
    assert measure(priced.context, replace(priced.record, progress=progress), printed) == 9


@pytest.mark.parametrize("path", ["", "missing.jsonl", "/dev/zero", "/dev/null", "nul\0byte"])
def test_what_is_no_transcript_costs_the_figure_only(priced: PricedLoop, path: str) -> None:
    assert priced.spent(path) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_a_pipe_is_not_waited_for(priced: PricedLoop) -> None:
    os.mkfifo(priced.folder / "pipe.jsonl")
    priced.append(line("a", 1))
    subagents = priced.folder / "talk" / "subagents"
    subagents.mkdir(parents=True)
    os.mkfifo(subagents / "agent-1.jsonl")

    assert (priced.spent(priced.folder / "pipe.jsonl"), priced.spent()) == (None, 4)


def test_a_ledger_that_is_damaged_is_begun_anew(priced: PricedLoop) -> None:
    priced.append(line("a", 1))
    priced.spent()
    (priced.loop_folder / "spend.json").write_bytes(b"{")

    assert priced.spent() == 4


def test_without_prices_the_user_sees_once_how_to_get_them(
    priced: PricedLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    priced.append(line("a", 1))

    spent = priced.spent()
    reported = [priced.session.take("tell"), priced.spent() or priced.session.take("tell")]

    remedy = f"to have it priced: {describe_extra('cost')}"
    line_told = f"untildone: the spend is unknown, so the budget bounds nothing; {remedy}"
    assert (spent, reported, priced.why()) == (None, [line_told, ""], remedy)


def test_a_quick_first_turn_does_not_call_the_spend_unknown(
    priced: PricedLoop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "genai_prices", None)
    priced.append(line("a", 1))

    assert (priced.spent(attended=True), priced.session.take("tell")) == (None, "")
    assert priced.why() == "it is measured at the first stop"


def test_the_client_s_own_figure_comes_first_where_somebody_sits(priced: PricedLoop) -> None:
    priced.append(line("a", 1))
    loop = priced.loop
    priced.session.write_json("spend.json", {"loop": loop, "last": 3.0, "spent": 1.5})

    assert (priced.spent(attended=True), priced.spent()) == (1.5, 4)


def test_the_figure_of_another_loop_is_none(priced: PricedLoop) -> None:
    priced.session.write_json("spend.json", {"loop": "another", "last": 3.0, "spent": 1.5})

    assert priced.spent(attended=True) is None


def test_what_a_loop_has_cost_goes_with_it_into_another_session(priced: PricedLoop) -> None:
    loop = priced.loop
    record = priced.record
    paid = replace(record.progress, spend_usd=2.5)
    record = priced.context.loops.save(record, paid, kind="note", data={}, at=LATER)

    move_loop(priced.context, record, OTHER_SESSION)

    assert priced.context.session(OTHER_SESSION).read_json("spend.json") == {
        "loop": loop,
        "spent": 2.5,
    }
