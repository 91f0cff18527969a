"""Green checks are proved against the start before a loop is done."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from store.disk import mounted
from untildone.app import open_context
from untildone.checks.runner import RunOptions, run_checks
from untildone.core.contract import Check
from untildone.engine import stop
from untildone.engine.baseline_results import save_baseline_results
from untildone.engine.context import Context
from untildone.engine.loop_start import begin_loop
from untildone.engine.payload import Call
from untildone.engine.request import Request
from untildone.engine.verbs import resume
from untildone.worktree.fingerprint import fingerprint_tree

SESSION = "5f0c2a9e-0000-4000-8000-00000000000a"
ENVIRON = {"AI_AGENT": "claude-code_2-1-325_harness", "CLAUDE_CODE_SESSION_ID": SESSION}
PYTEST = f"{sys.executable} -m pytest -q -p no:cacheprovider"
BROKEN = "def price(total):\n    return total\n"
MENDED = "def price(total):\n    return total if total < 100 else total * 9 // 10\n"
TESTS = """\
from shop import price

def test_small():
    assert price(10) == 10

def test_large():
    assert price(100) == 90
"""


class World:
    def __init__(self, folder: Path) -> None:
        self.project = folder / "project"
        self.project.mkdir()
        self.home = folder / "home"
        self.home.mkdir()
        self.here: Context = open_context({**os.environ, **ENVIRON}, home=str(folder / "state"))
        self.loop = ""

    def write(self, **files: str) -> None:
        for name, text in files.items():
            path = self.project / name.replace("__", "/").replace("_py", ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def start(self, *, command: str = PYTEST, allow: tuple[str, ...] = (), **check: Any) -> None:  # noqa: ANN401
        checks = (Check(name="check", command=command, **check),)
        asked = Request(session=SESSION, project=self.project, checks=checks, allow=allow)
        self.loop = begin_loop(self.here, asked).contract.id
        results = run_checks(checks, RunOptions(project=self.project))
        save_baseline_results(self.here, self.loop, results)

    def stop(self) -> str:
        call = Call("Stop", "claude", "settings", str(self.here.home))
        call.environ = ENVIRON
        call.data = {
            "session_id": SESSION,
            "cwd": str(self.project),
            "prompt_id": "p1",
            "stop_hook_active": False,
            "last_assistant_message": "EXIT_SIGNAL: true",
        }
        return stop.answer_stop(self.here, call)

    @property
    def outcome(self) -> str | None:
        return self.here.loops.load(self.loop).progress.outcome

    @property
    def lost(self) -> list[str]:
        told = self.here.loops.load(self.loop).progress.reported_concerns
        return [each.partition("#")[0] for each in told]

    @property
    def proved(self) -> list[str]:
        paper = self.here.loops.get_folder(self.loop) / "receipt.json"
        return list(json.loads(paper.read_text(encoding="utf-8"))["proved"])


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    made.write(shop_py=BROKEN, tests__test_shop_py=TESTS, conftest_py="")
    return made


def test_mended_code_passes_the_starts_tests_and_is_done(world: World) -> None:
    world.start()
    world.write(shop_py=MENDED)
    before = fingerprint_tree(world.project)

    world.stop()

    assert world.outcome == "done"
    assert world.proved == ["pass-to-pass: the baseline's tests pass on the new code"]
    assert fingerprint_tree(world.project) == before
    assert not (world.here.loops.get_folder(world.loop) / "baseline" / "tree").exists()


def test_new_tests_beside_the_starts_are_no_loss(world: World) -> None:
    world.start()
    more = "\ndef test_more():\n    assert price(200) == 180\n"
    world.write(shop_py=MENDED, tests__test_shop_py=TESTS + more, tests__test_new_py=TESTS)

    world.stop()

    assert (world.outcome, world.lost) == ("done", [])


FOLDED = """\
from shop import price

def test_both():
    assert price(10) == 10
    assert price(100) == 90
"""


def test_tests_folded_into_one_are_no_loss(world: World) -> None:
    world.start()
    world.write(shop_py=MENDED, tests__test_shop_py=FOLDED)

    world.stop()

    assert (world.outcome, world.lost) == ("done", [])


def test_a_test_that_the_new_one_did_not_take_in_is_a_loss(world: World) -> None:
    world.start()
    world.write(shop_py=MENDED, tests__test_shop_py=FOLDED.rpartition("    assert")[0])

    world.stop()

    assert world.lost == ["remove-test:tests/test_shop.py::test_large"]


def test_tests_folded_into_one_that_never_asks_are_found_by_the_starts(world: World) -> None:
    world.start()
    hidden = FOLDED.replace(
        "    assert price(10)", "    price.__code__ = ours\n    assert price(10)"
    )
    hidden = f"ours = (lambda total: total if total < 99 else 90).__code__\n{hidden}"
    world.write(tests__test_shop_py=hidden)

    world.stop()

    assert world.lost == ["replay:check"]


# It does not look into the folder that it is called in.
APART = PYTEST.replace(" -m", " -P -m")


@pytest.fixture
def apart(world: World) -> World:
    (world.project / "conftest.py").unlink()
    world.start(command=APART)
    return world


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("conftest.py", ""),
        ("tests/__init__.py", ""),
        ("tests/conftest.py", "import sys\nsys.path.insert(0, '.')\n"),
        ("pytest.ini", "[pytest]\npythonpath = .\n"),
    ],
)
def test_tests_may_be_led_to_the_code_that_they_could_not_find(
    apart: World, path: str, text: str
) -> None:
    apart.write(shop_py=MENDED)
    (apart.project / path).write_text(text, encoding="utf-8")

    apart.stop()

    assert (apart.outcome, apart.lost) == ("done", [])


def test_tests_may_not_be_led_to_other_code(apart: World) -> None:
    leads = "import sys\nsys.path.insert(0, 'tests/ours')\n"
    apart.write(tests__conftest_py=leads, tests__ours__shop_py=MENDED)

    apart.stop()

    assert "edit-test:tests/conftest.py" in apart.lost


def test_tests_that_follow_a_new_name_of_the_product_are_no_loss(world: World) -> None:
    world.start()
    world.write(shop_py=MENDED.replace("price(", "cost("))
    world.write(tests__test_shop_py=TESTS.replace("price", "cost"))

    world.stop()

    assert (world.outcome, world.lost) == ("done", [])
    assert world.proved[1:] == [
        "only follow the product to a new name, so taken as they are: tests/test_shop.py"
    ]


def test_an_edited_expectation_is_asked_about_and_then_waits_for_the_person(world: World) -> None:
    world.start()
    world.write(tests__test_shop_py=TESTS.replace("== 90", "== 100"))

    world.stop()
    lost = world.lost
    world.stop()

    assert any(each.endswith("tests/test_shop.py:test_large") for each in lost)
    assert world.outcome == "needs-approval"


def test_what_the_person_allowed_is_judged_as_it_is_now(world: World) -> None:
    world.start(allow=("edit-expected:tests/test_shop.py:test_large",))
    world.write(tests__test_shop_py=TESTS.replace("== 90", "== 100"))

    world.stop()

    assert (world.outcome, world.lost) == ("done", [])


def test_a_hook_that_turns_failures_into_passes_is_found_by_running_without_it(
    world: World,
) -> None:
    world.start()
    hook = (
        "import pytest\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_pyfunc_call(pyfuncitem):\n"
    )
    world.write(conftest_py=f"{hook}    outcome = yield\n    outcome.force_result(True)\n")

    world.stop()

    assert any("conftest.py" in each for each in world.lost)


def test_printed_success_proves_nothing_for_unittest_either(tmp_path: Path) -> None:
    world = World(tmp_path)
    case = "import unittest\nfrom shop import price\nclass Shop(unittest.TestCase):\n"
    world.write(
        shop_py=BROKEN,
        test_shop_py=f"{case}    def test_large(self):\n        self.assertEqual(price(100), 90)\n",
    )
    world.start(command=f"{sys.executable} -m unittest -q")
    forged = "import os\nprint('Ran 1 test in 0.000s\\n\\nOK', flush=True)\nos._exit(0)\n"
    world.write(shop_py=BROKEN + forged)

    world.stop()

    assert world.outcome is None
    assert world.lost


def test_a_check_that_a_clean_copy_is_not_enough_for_accuses_nobody(world: World) -> None:
    (world.project / ".pytest_cache").mkdir()
    (world.project / ".pytest_cache" / "needed").touch()
    world.start(command=f"test -e .pytest_cache/needed && {PYTEST}")
    world.write(shop_py=MENDED)

    world.stop()

    assert world.outcome == "done"
    assert world.proved == [
        "comparison only: the checks do not run in the sandbox (check: exit code 1)"
    ]


def test_a_check_left_out_by_the_person_is_named_with_the_reason(world: World) -> None:
    world.start(replay=False, replay_reason="it drives the one printer")
    world.write(shop_py=MENDED)

    world.stop()

    assert world.outcome == "done"
    assert world.proved == [
        "comparison only: no check runs in the sandbox",
        "`check` does not run in the sandbox: it drives the one printer",
    ]


def test_a_slow_check_is_run_once_where_nothing_that_judges_changed(world: World) -> None:
    slow = f"echo ran >> {world.project.parent / 'ran.txt'}; {PYTEST}"
    world.start(command=slow, when="done")
    (world.project.parent / "ran.txt").unlink()
    world.write(shop_py=MENDED)

    world.stop()

    assert world.outcome == "done"
    assert (world.project.parent / "ran.txt").read_text(encoding="utf-8") == "ran\n"


def test_an_altered_start_is_no_start(world: World) -> None:
    world.start()
    kept = world.here.loops.get_folder(world.loop) / "baseline" / "tree" / "tests" / "test_shop.py"
    kept.write_text("def test_nothing(): pass\n", encoding="utf-8")
    world.write(shop_py=MENDED)

    world.stop()

    assert world.outcome == "tampered"


def test_a_start_too_large_to_keep_is_said_in_the_receipt(world: World) -> None:
    large = world.project / "large.bin"
    large.touch()
    os.truncate(large, 2_000_000_001)
    world.start()
    large.unlink()
    world.write(shop_py=MENDED)

    world.stop()

    assert world.outcome == "done"
    assert world.proved == [
        "not compared with the baseline: the start is too large to keep"
        " (more than 50000 files or 2 GB)"
    ]


def test_the_person_goes_on_without_an_altered_start(world: World) -> None:
    world.start()
    kept = world.here.loops.get_folder(world.loop) / "baseline" / "tree" / "tests" / "test_shop.py"
    kept.unlink()
    world.write(shop_py=MENDED)
    world.stop()
    assert world.outcome == "tampered"

    resume(world.here, world.loop)
    world.stop()

    assert world.outcome == "done"
    assert world.proved == [
        "not compared with the baseline: the saved files of the baseline were changed"
    ]


@pytest.mark.parametrize("text", [None, "{}"], ids=["removed", "altered"])
def test_a_record_of_the_start_that_is_not_its_own_breaks_the_seal(
    world: World, text: str | None
) -> None:
    world.start()
    record = world.here.loops.get_folder(world.loop) / "baseline" / "start.json"
    record.unlink()
    if text is not None:
        record.write_text(text, encoding="utf-8")

    world.stop()

    assert world.outcome == "tampered"
    resume(world.here, world.loop)
    assert world.here.loops.explain_broken_seal(world.loop) == ""
    unkept = f"`{record}` " + ("is missing" if text is None else "was altered")
    assert world.here.loops.load(world.loop).progress.baseline_missing == unkept


def test_a_comparison_that_fails_us_holds_the_agent_and_is_never_done(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.start()
    world.write(shop_py=MENDED, data_txt="x" * 100_000)
    small = tmp_path / "small"
    small.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(small))

    with mounted(small, options="size=64k,mode=700"):
        first, second = world.stop(), world.stop()

    assert "the comparison with the baseline failed (" in first
    assert '"additionalContext"' in first or '"decision"' in first
    assert world.outcome == "unverified"
    assert "paused" in second
