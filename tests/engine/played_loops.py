"""Loops of random events: what the checks print at each stop, notes, reports, pauses, approvals."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from hypothesis import strategies as st

from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.core.contract import Bounds, Check, Claim
from untildone.engine import verbs
from untildone.engine.agent_verbs import AgentVerb
from untildone.engine.approval import ALL, approve
from untildone.errors import UserError
from untildone.store.home import prepare_home
from world import World

NAMES = ("test", "lint")
# The scripts are in a folder outside the project: the tree does not change with them.
_COMMAND = '. "$OUT/{}.sh"'
# "flips": red, then green, then red on the same tree.
_ENDINGS = {
    "green": "exit 0",
    "red": "exit 1",
    "flips": 'if rm "$OUT/flip" 2>/dev/null; then exit 0; fi; touch "$OUT/flip"; exit 1',
    "gone": "exec nolinter",
}
_SEVERITIES = ("error", "warning", "note")
# More than the journal lists of one check is among them.
_NUMBERS = st.sampled_from((0, 0, 1, 2, 60))


@dataclass(frozen=True)
class Printed:
    """What a check prints: passed, failed and skipped tests, findings by severity.

    `shared`: its findings are the same as those of other checks.
    """

    ends: str = "green"
    tests: tuple[int, int, int] | None = None
    findings: tuple[int, int, int] = (0, 0, 0)
    shared: bool = False

    def write(self, folder: Path, name: str) -> None:
        lines = "\n".join((*self._list_tests(), *self._list_findings(name)))
        script = f"cat <<'END'\n{lines}\nEND\n{_ENDINGS[self.ends]}\n"
        (folder / f"{name}.sh").write_text(script, encoding="utf-8")

    def _list_tests(self) -> list[str]:
        """The tests in the format TAP."""
        if self.tests is None:
            return []
        passed, failed, skipped = self.tests
        results = [
            *(("ok", f"p{number}") for number in range(passed)),
            *(("not ok", f"f{number}") for number in range(failed)),
            *(("ok", f"s{number} # SKIP later") for number in range(skipped)),
        ]
        lines = [f"{word} {number} - {name}" for number, (word, name) in enumerate(results, 1)]
        return [f"1..{len(results)}", *lines]

    def _list_findings(self, name: str) -> list[str]:
        file = "shared" if self.shared else name
        return [
            f"{file}.c:{line}:1: {severity}: too long [-Wall]"
            for severity, count in zip(_SEVERITIES, self.findings, strict=True)
            for line in range(1, count + 1)
        ]


PASSES = (Printed(tests=(2, 0, 0)), Printed())
FAILS = (Printed(ends="red", tests=(1, 1, 0)), Printed(ends="red", findings=(3, 1, 0)))


@dataclass(frozen=True)
class Stop:
    """The agent stops: what the checks print then, what it did to `code.py`, what was spent."""

    printed: tuple[Printed, Printed] = PASSES
    edit: Literal["", "code", "noqa"] = "code"
    spent: float | None = None
    message: str = ""


Event: TypeAlias = Stop | AgentVerb | Literal["pause", "approve", "continue", "cancel"]


@dataclass(frozen=True)
class Play:
    events: tuple[Event, ...]
    before: tuple[Printed, Printed] | None = FAILS
    slow: bool = False
    git: bool = False
    claims: tuple[Claim, ...] = ()
    allow: tuple[str, ...] = ()
    rounds: int = 10


NOTE = AgentVerb(verb="note", text="tried the cache")
MET = AgentVerb(verb="met", name="docs", text="read them", by="review")

_PRINTED = st.builds(
    Printed,
    ends=st.sampled_from(("green", "green", "red", "red", "flips", "gone")),
    tests=st.none() | st.tuples(_NUMBERS, _NUMBERS, _NUMBERS),
    findings=st.tuples(_NUMBERS, _NUMBERS, _NUMBERS),
    shared=st.booleans(),
)
_PAIRS = st.sampled_from((PASSES, FAILS)) | st.tuples(_PRINTED, _PRINTED)
_STOPS = st.builds(
    Stop,
    printed=_PAIRS,
    edit=st.sampled_from(("", "code", "noqa")),
    spent=st.sampled_from((None, 0.25, 1.0, 1.5)),
    message=st.sampled_from(("", "I am done.", "ALL GREEN")),
)
_OTHERS = st.sampled_from(
    (
        *(NOTE, MET, AgentVerb(verb="blocked", text="no key"), AgentVerb(verb="signal")),
        *("pause", "approve", "continue"),
    )
)
PLAYS = st.builds(
    Play,
    events=st.lists(_STOPS | _STOPS | _OTHERS, min_size=3, max_size=7).map(tuple),
    before=st.none() | _PAIRS | _PAIRS,
    slow=st.booleans(),
    git=st.booleans(),
    claims=st.sampled_from(((), (Claim(name="docs"),))),
    allow=st.sampled_from(((), ("suppression:code.py",))),
    rounds=st.sampled_from((0, 3, 10)),
)


class PlayedLoop:
    """A loop in a world of its own, which ends at the latest when the user cancels it."""

    def __init__(self, folder: Path, play: Play) -> None:
        self.world = World(folder)
        prepare_home(self.world.state_folder)
        self._output = folder / "output"
        self._output.mkdir()
        self._edits = 0
        self._play = play

    def run(self) -> Iterator[World]:
        """Yield the world each time a receipt was published."""
        self._start(self._play)
        for event in (*self._play.events, "cancel"):
            before = self._read_receipt()
            self._carry_out(event)
            if self._read_receipt() != before:
                yield self.world

    def _read_receipt(self) -> bytes:
        path = self.world.loop_folder / "receipt.json"
        return path.read_bytes() if path.exists() else b""

    def _start(self, play: Play) -> None:
        self._print(play.before or FAILS)
        self.world.write("code.py", "total = 1\n")
        if play.git:
            self.world.git("init", "-q")
            self.world.git("add", ".")
            self.world.git("commit", "-qm", "begin")
        checks = tuple(self._make_check(name) for name in NAMES)
        slow = (self._make_check("test", "slow"),) if play.slow else ()
        self.world.start(
            baseline="none",
            checks=(*checks, *slow),
            claims=play.claims,
            allow=play.allow,
            promises=("ALL GREEN",),
            done_when="both" if play.claims else "checks",
            bounds=Bounds(rounds=play.rounds, budget_usd=5),
        )
        if play.before:
            results = run_checks(checks, RunOptions(project=self.world.project))
            self.world.save_baseline(*results)

    def _make_check(self, prints: str, name: str = "") -> Check:
        return Check(
            name=name or prints,
            command=_COMMAND.format(prints),
            env={"OUT": str(self._output)},
            when="done" if name else "round",
        )

    def _print(self, printed: Sequence[Printed]) -> None:
        for name, each in zip(NAMES, printed, strict=True):
            each.write(self._output, name)

    def _carry_out(self, event: Event) -> None:
        context, loop = self.world.context, self.world.loop
        try:
            match event:
                case Stop():
                    self._stop(event)
                case AgentVerb():
                    verbs.record_agent_verb(context, loop, event)
                case "pause":
                    verbs.pause(context, loop)
                case "approve":
                    approve(context, self.world.record, (ALL,))
                case "continue":
                    verbs.resume(context, loop)
                case "cancel":
                    verbs.cancel(context, loop)
        except UserError:
            # Nothing waits for approval, say, or the loop is finished: nothing is recorded.
            return

    def _stop(self, stop: Stop) -> None:
        if self.world.progress.status == "paused":
            verbs.resume(self.world.context, self.world.loop)
        self._print(stop.printed)
        self._edits += 1
        if stop.edit:
            ending = "  # noqa" if stop.edit == "noqa" else ""
            self.world.write("code.py", f"total = {self._edits}{ending}\n")
        if stop.spent is not None:
            self.world.session.write_json(
                "spend.json", {"loop": self.world.loop, "last": stop.spent, "spent": stop.spent}
            )
        self.world.message = stop.message
        self.world.stop()
