"""What may be agreed on, by whom, and what stands in the contract."""

from pathlib import Path

import pytest

from untildone.app import open_context
from untildone.core.contract import Bounds, Check, Claim, Contract
from untildone.engine.context import Context
from untildone.engine.loop_start import begin_loop
from untildone.engine.request import Request, name_checks
from untildone.errors import UserError

SESSION = "5f0c2a9e-0000-4000-8000-00000000000a"


@pytest.fixture
def here(tmp_path: Path) -> Context:
    return open_context({}, home=str(tmp_path / "state"))


SPEC = "Port every page to use the new layout"


def make_request(tmp_path: Path, **given: object) -> Request:
    fields = {
        "session": SESSION,
        "project": tmp_path,
        "checks": name_checks(("npm test",)),
        **given,
    }
    return Request(**fields)  # type: ignore[arg-type]  # fields of a request by name


def agree(here: Context, tmp_path: Path, **given: object) -> Contract:
    return begin_loop(here, make_request(tmp_path, **given)).contract


def test_a_loop_is_recorded_and_bound_to_its_session(here: Context, tmp_path: Path) -> None:
    record = begin_loop(here, make_request(tmp_path, task="port it"))
    session = here.session(SESSION)

    assert here.loops.load(record.contract.id).contract == record.contract
    assert (session.get_loop_id(), session.is_active()) == (record.contract.id, True)
    assert record.contract.checks == (
        Check(name="check", command="npm test", reason="given by hand"),
    )
    assert (record.contract.done_when, record.contract.task) == ("checks", "port it")


def test_a_second_loop_in_the_session_is_refused(here: Context, tmp_path: Path) -> None:
    loop = agree(here, tmp_path).id

    with pytest.raises(UserError, match=f"this session has the loop `{loop}` already"):
        begin_loop(here, make_request(tmp_path))


@pytest.mark.parametrize("session", ["", "../x", "a b", "a/b", "\0", "x" * 200, "é"])
def test_what_is_no_session_gets_no_loop(here: Context, tmp_path: Path, session: str) -> None:
    with pytest.raises(UserError, match="is not a session id"):
        begin_loop(here, make_request(tmp_path, session=session))


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({}, "checks"),
        ({"promises": ("DONE",)}, "checks"),
        ({"checks": (), "promises": ("DONE",)}, "promise"),
        ({"claims": (Claim(name="docs"),)}, "both"),
        ({"checks": (), "claims": (Claim(name="docs"),)}, "both"),
        ({"preset": "loop", "task": SPEC}, "both"),
        ({"preset": "loop", "task": SPEC, "checks": ()}, "both"),
        ({"done_when": "either"}, "either"),
    ],
)
def test_the_exit_rule(here: Context, tmp_path: Path, given: dict[str, object], rule: str) -> None:
    assert agree(here, tmp_path, **given).done_when == rule


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"bounds": Bounds(rounds=0, budget_usd=0)}, "a loop needs a bound"),
        ({"checks": (), "promises": ("A",), "done_when": "checks"}, "needs a check"),
        ({"claims": (Claim(name="a"),), "done_when": "checks"}, "`--criterion` would not count"),
        ({"claims": (Claim(name="a"),), "done_when": "either"}, "`--criterion` would not count"),
        ({"checks": (), "promises": ("A",), "done_when": "either"}, "needs a check"),
        ({"done_when": "promise"}, "needs a promise"),
        ({"checks": name_checks(("x",), success="(")}, "success"),
    ],
)
def test_what_could_never_end_is_refused(
    here: Context, tmp_path: Path, given: dict[str, object], message: str
) -> None:
    with pytest.raises(UserError, match=message):
        begin_loop(here, make_request(tmp_path, **given))

    assert here.session(SESSION).get_loop_id() == ""


@pytest.mark.parametrize(
    "given",
    [
        {"bounds": Bounds(rounds=0)},
        {"bounds": Bounds(budget_usd=0)},
        {"bounds": Bounds(rounds=51)},
        {"bounds": Bounds(budget_usd=101)},
        {"allow": ("config:pyproject.toml",)},
    ],
)
def test_the_user_may_exceed_a_ceiling_and_the_agent_may_not(
    here: Context, tmp_path: Path, given: dict[str, object]
) -> None:
    with pytest.raises(UserError):
        begin_loop(here, make_request(tmp_path, by="agent", **given))

    assert agree(here, tmp_path, by="user", **given).started_by == "user"


def test_an_agent_within_the_ceilings(here: Context, tmp_path: Path) -> None:
    bounds = Bounds(rounds=50, budget_usd=100)

    assert agree(here, tmp_path, by="agent", bounds=bounds).started_by == "agent"


@pytest.mark.parametrize("preset", ["build", "test", "lint", "ship", "fix"])
def test_nothing_found_is_a_question_with_the_flag(
    here: Context, tmp_path: Path, preset: str
) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()

    with pytest.raises(UserError) as error:
        begin_loop(here, make_request(empty, preset=preset, checks=()))

    assert "--check" in error.value.hint
    assert error.value.exit_code == 2


def test_a_task_survives_byte_for_byte(here: Context, tmp_path: Path) -> None:
    task = "quotes ' \" $(x) `y` \\n\n---\n\ttab \u2028 \udcff é\r\nend "

    loop = agree(here, tmp_path, task=task).id

    assert here.loops.load(loop).contract.task == task


def test_added_checks_of_one_name_are_told_apart(here: Context, tmp_path: Path) -> None:
    also = tuple(Check(name="test", command=command) for command in ("make a", "make b", "make a"))

    contract = agree(here, tmp_path, checks=(Check(name="test", command="npm test"),), also=also)

    names = [(check.name, check.command) for check in contract.checks]
    assert names == [("test", "npm test"), ("test-2", "make a"), ("test-3", "make b")]
