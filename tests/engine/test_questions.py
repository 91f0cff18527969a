"""What a loop asks is shown with its diff, answered in one step, and overruled for good."""

import pytest
from msgspec.structs import replace

from endings import RECEIPT, hide_effort
from shop import DONE_SIGNAL, PYTEST
from untildone.core.contract import Check, Claim
from untildone.engine import verbs
from untildone.engine.approval import approve
from untildone.engine.context import project_folder
from untildone.errors import UserError
from untildone.store.lasting_approvals import LastingApproval, list_approvals
from world import ATTENDED, ENVIRON, World, shown

FERRY = "def fare(age):\n    return 6 if age < 18 else 12\n"
TESTS = "from ferry import fare\n\ndef test_youths():\n    assert fare(15) == 6\n"
RED_TESTS = TESTS.replace("6", "5") + "\n\ndef test_adults():\n    assert fare(30) == 13\n"
TOX = "config:tox.ini:tox.env_list#12"
GONE = "remove-test:tests/test_a.py::test_a"
PROOF = "proof:tests"


@pytest.fixture
def world(world: World) -> World:
    world.message = DONE_SIGNAL
    world.environ = {ATTENDED: "1"}
    return world


def ask_about(world: World, *concerns: str) -> None:
    """As a pause for approval leaves it."""
    verbs.change_loop(
        world.context,
        world.loop,
        lambda now: replace(now.progress, reported_concerns=concerns),
        kind="asked",
    )


def test_an_edited_test_fixes_nothing_while_a_claim_is_unmet(world: World) -> None:
    world.environ = ENVIRON
    world.write_all({"ferry.py": FERRY, "conftest.py": "", "test_ferry.py": RED_TESTS})
    check = Check(name="check", command=PYTEST)
    world.start(baseline="run", checks=(check,), claims=(Claim(name="it reads well"),))
    world.write("test_ferry.py", RED_TESTS.replace("== 5", "== 6").replace("== 13", "== 12"))
    held = shown(world.stop())

    assert "Unmet: it reads well." in held
    assert ("fixed," in held, "%" in held) == (False, False)


def test_an_edited_test_fixes_nothing_in_a_red_round(world: World) -> None:
    world.environ = ENVIRON
    world.write_all({"ferry.py": FERRY, "conftest.py": "", "test_ferry.py": RED_TESTS})
    world.start_check(PYTEST)
    world.write("test_ferry.py", RED_TESTS.replace("fare(15) == 5", "fare(15) == 6"))
    edited = world.stop()
    world.write("test_ferry.py", RED_TESTS)
    world.write("ferry.py", FERRY.replace("6", "5"))
    fixed = world.stop()

    assert "Since the baseline: 0 new, 0 regressed, 1 remaining; tests were edited" in shown(edited)
    assert "1 remaining (50 % fewer failures" in shown(fixed)


def change_expectation(world: World) -> str:
    """The fare of youths is changed with its test; return the notice of the pause."""
    world.write_all({"ferry.py": FERRY, "test_ferry.py": TESTS, "conftest.py": ""})
    world.start_check(PYTEST)
    world.write("ferry.py", FERRY.replace("6 if age < 18 else 12", "12"))
    world.write("test_ferry.py", TESTS.replace("== 6", "== 12"))
    world.stop()
    return str(world.stop()["systemMessage"])


def test_a_changed_expectation_is_asked_in_one_line_and_approved_in_one_step(world: World) -> None:
    question = (
        "1 test expectation changed: `test_youths` 6 → 12."
        " Intended? /untildone:approve, or undo it.\n"
        "  test_ferry.py\n"
        "  -    assert fare(15) == 6\n"
        "  +    assert fare(15) == 12"
    )
    asked = change_expectation(world)
    status = world.prompt("/untildone:status")["reason"]

    assert asked == f"untildone: paused (needs-approval): {question}"
    assert status.partition("\n")[2] == question

    approved = world.prompt("/untildone:approve")["reason"]

    assert hide_effort(approved) == (
        "untildone: approved edit-expected:test_ferry.py:test_youths\n"
        "untildone: done after 2 rounds: check green, 1 passed, 0 failed"
        f" | fail-to-pass 1, pass-to-pass 1 | {RECEIPT}"
    )
    assert world.state() == ("finished", "done", 2)


def test_several_questions_are_listed_and_approved_by_their_numbers(world: World) -> None:
    world.start(task="Drop Python 3.8")
    ask_about(world, GONE, TOX, "remove-test:tests/test_b.py::test_b")
    first = "1. 2 tests no longer run: `test_a`; `test_b`"

    with pytest.raises(UserError) as several:
        approve(world.context, world.record, ())
    given = approve(world.context, world.record, ("1",))

    assert several.value.message == (
        f"several questions are open:\n{first}\n2. 1 check setting changed: `tox.ini:tox.env_list`"
    )
    assert (len(given.approved), given.left) == (2, (TOX,))


def test_a_question_keeps_its_number_when_another_one_is_answered(world: World) -> None:
    world.start()
    ask_about(world, GONE, TOX, "suppression:a.py:F401")

    world.prompt("/untildone:approve 1")
    listed = world.prompt("/untildone:approve 1")["reason"]
    given = approve(world.context, world.record, ("3",))

    assert listed.startswith("untildone: `1` is not asked about:\n2. 1 check setting")
    assert given.approved == ("suppression:a.py:F401",)


def test_what_is_approved_always_is_not_asked_in_later_loops(world: World) -> None:
    world.start()
    ask_about(world, TOX, GONE)

    answer = world.prompt("/untildone:approve --always 1")["reason"]
    folder = project_folder(world.context.home, world.project)
    verbs.cancel(world.context, world.loop)
    later = world.start().contract

    what = "config:tox.ini:tox.env_list"
    assert "always from now on: config:tox.ini:tox.env_list" in answer
    assert [each.what for each in list_approvals(folder)] == [what]
    assert (later.allow, later.always) == ((what,), (what,))


def test_the_receipt_says_what_is_always_approved(world: World) -> None:
    world.start()
    ask_about(world, "suppression:a.py:F401#12")
    approve(world.context, world.record, ("--always",))
    verbs.cancel(world.context, world.loop)

    approvals = [(each["what"], each["always"]) for each in world.receipt["approvals"]]
    assert approvals == [("suppression:a.py:F401#12", False), ("suppression:a.py", True)]
    text = (world.loop_folder / "receipt.md").read_text("utf-8")
    assert "- `suppression:a.py` always (`untildone trust --list`), in force at" in text


def test_a_wider_approval_is_remembered_as_the_user_names_it(world: World) -> None:
    world.start()
    ask_about(world, TOX)

    given = approve(world.context, world.record, ("config:tox.ini", "--always"))

    assert (given.approved, given.always) == ((TOX,), ("config:tox.ini",))


def test_what_is_no_property_of_a_file_is_not_approved_for_good(world: World) -> None:
    world.start()
    ask_about(world, PROOF)

    with pytest.raises(UserError, match="cannot be approved for good"):
        approve(world.context, world.record, ("--always",))
    assert world.progress.amendments == ()


def test_a_damaged_list_approves_nothing(world: World) -> None:
    folder = project_folder(world.context.home, world.project)
    folder.mkdir(parents=True)
    (folder / "approvals.json").write_text("{", encoding="utf-8")

    assert list_approvals(folder) == ()
    assert world.start().contract.allow == ()
    assert LastingApproval(what="a", at="").loop == ""
