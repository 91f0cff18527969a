"""Green checks are confirmed against the baseline before a loop is done."""

import os
import sys
from pathlib import Path

import pytest

from shop import BROKEN, DONE_SIGNAL, FIXED, PYTEST, SHOP, TESTS
from snippets import snippet
from store.disk import mount
from untildone.engine.verbs import resume
from untildone.worktree.fingerprint import fingerprint_tree
from world import World, shown

pytestmark = pytest.mark.slow


@pytest.fixture
def world(world: World) -> World:
    world.message = DONE_SIGNAL
    world.write_all(SHOP)
    return world


def test_fixed_code_that_passes_the_baselines_tests_is_done(world: World) -> None:
    world.start_check(PYTEST)
    world.write("shop.py", FIXED)
    before = fingerprint_tree(world.project)

    world.stop()

    assert world.outcome == "done"
    assert world.receipt["proved"] == ["pass-to-pass: the baseline's tests pass on the new code"]
    assert fingerprint_tree(world.project) == before
    assert not (world.loop_folder / "baseline" / "tree").exists()


def test_new_tests_beside_the_baselines_are_no_concern(world: World) -> None:
    world.start_check(PYTEST)
    more = "\ndef test_more():\n    assert price(200) == 180\n"
    world.write_all(
        {"shop.py": FIXED, "tests/test_shop.py": TESTS + more, "tests/test_new.py": TESTS}
    )

    world.stop()

    assert (world.outcome, world.concerns) == ("done", [])


FOLDED = """\
from shop import price

def test_both():
    assert price(10) == 10
    assert price(100) == 90
"""


def test_tests_merged_into_one_are_no_concern(world: World) -> None:
    world.start_check(PYTEST)
    world.write_all({"shop.py": FIXED, "tests/test_shop.py": FOLDED})

    world.stop()

    assert (world.outcome, world.concerns) == ("done", [])


def test_a_test_that_the_new_one_did_not_take_in_is_a_loss(world: World) -> None:
    world.start_check(PYTEST)
    world.write_all({"shop.py": FIXED, "tests/test_shop.py": FOLDED.rpartition("    assert")[0]})

    world.stop()

    assert world.concerns == ["remove-test:tests/test_shop.py::test_large"]


RENAMED = TESTS.replace("def test_large", "def test_large_price").replace(
    "price(100) == 90", "price(1000) == 900"
)


def test_an_assertion_that_was_dropped_is_told_at_the_end(world: World) -> None:
    world.message = DONE_SIGNAL
    world.write_all({"tests/test_more.py": f"{TESTS}    assert price(200) == 180\n"})
    world.start_check(PYTEST)
    world.write_all({"shop.py": FIXED, "tests/test_more.py": TESTS})

    told = shown(world.stop())

    assert (world.outcome, world.concerns) == ("done", [])
    assert "pass-to-pass 2, assertions dropped or changed in `test_large`" in told


def test_a_test_that_another_one_replaced_is_settled_by_a_run(world: World) -> None:
    world.start_check(PYTEST)
    world.write_all({"shop.py": FIXED, "tests/test_shop.py": RENAMED})

    world.stop()

    assert (world.outcome, world.concerns) == ("done", [])
    assert (
        "the baseline's tests pass, so these changes removed nothing:"
        " edit-expected:tests/test_shop.py:test_large" in world.receipt["proved"]
    )


def test_a_run_settles_what_it_can_beside_another_question(world: World) -> None:
    world.write("tests/test_more.py", "def test_more():\n    assert True\n")
    world.start_check(PYTEST)
    world.write_all({"shop.py": FIXED, "tests/test_shop.py": RENAMED})
    (world.project / "tests/test_more.py").unlink()

    world.stop()

    assert world.concerns == ["remove-test:tests/test_more.py::test_more"]


def test_a_test_that_another_one_replaced_and_that_fails_is_a_concern(world: World) -> None:
    world.start_check(PYTEST)
    special = BROKEN.replace("return", "if total == 1000:\n        return 900\n    return")
    world.write_all({"shop.py": special, "tests/test_shop.py": RENAMED})

    text = shown(world.stop())

    assert "`test_large` became `test_large_price`" in text
    assert "edit-expected:tests/test_shop.py:test_large" in world.concerns


def test_merged_tests_that_replace_the_code_fail_the_replay(world: World) -> None:
    world.start_check(PYTEST)
    hidden = FOLDED.replace(
        "    assert price(10)", "    price.__code__ = ours\n    assert price(10)"
    )
    hidden = f"ours = (lambda total: total if total < 99 else 90).__code__\n{hidden}"
    world.write("tests/test_shop.py", hidden)

    world.stop()

    assert world.concerns == ["replay:check"]


# It does not look into the folder that it is called in.
APART = PYTEST.replace(" -m", " -P -m")


@pytest.fixture
def apart(world: World) -> World:
    (world.project / "conftest.py").unlink()
    world.start_check(APART)
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
    apart.write("shop.py", FIXED)
    (apart.project / path).write_text(text, encoding="utf-8")

    apart.stop()

    assert (apart.outcome, apart.concerns) == ("done", [])


def test_tests_may_not_be_led_to_other_code(apart: World) -> None:
    leads = "import sys\nsys.path.insert(0, 'tests/ours')\n"
    apart.write_all({"tests/conftest.py": leads, "tests/ours/shop.py": FIXED})

    apart.stop()

    assert "edit-test:tests/conftest.py" in apart.concerns


def test_tests_that_follow_a_new_name_of_the_product_are_no_loss(world: World) -> None:
    world.start_check(PYTEST)
    world.write("shop.py", FIXED.replace("price(", "cost("))
    world.write("tests/test_shop.py", TESTS.replace("price", "cost"))

    world.stop()

    assert (world.outcome, world.concerns) == ("done", [])
    assert world.receipt["proved"][1:] == [
        "only follow the product to a new name, so taken as they are: tests/test_shop.py"
    ]


def test_an_edited_expectation_is_reported_and_then_waits_for_the_user(world: World) -> None:
    world.start_check(PYTEST)
    world.write("tests/test_shop.py", TESTS.replace("== 90", "== 100"))

    world.stop()
    concerns = world.concerns
    world.stop()

    assert any(concern.endswith("tests/test_shop.py:test_large") for concern in concerns)
    assert world.outcome == "needs-approval"


def test_what_the_user_allowed_is_judged_as_it_is_now(world: World) -> None:
    world.start_check(PYTEST, allow=("edit-expected:tests/test_shop.py:test_large",))
    world.write("tests/test_shop.py", TESTS.replace("== 90", "== 100"))

    world.stop()

    assert (world.outcome, world.concerns) == ("done", [])


def test_a_hook_that_turns_failures_into_passes_is_found_by_running_without_it(
    world: World,
) -> None:
    world.start_check(PYTEST)
    hook = snippet("""
        import pytest
        @pytest.hookimpl(hookwrapper=True)
        def pytest_pyfunc_call(pyfuncitem):
    """)
    world.write("conftest.py", f"{hook}    outcome = yield\n    outcome.force_result(True)\n")

    world.stop()

    assert any("conftest.py" in concern for concern in world.concerns)


def test_printed_success_proves_nothing_for_unittest_either(tmp_path: Path) -> None:
    world = World(tmp_path)
    case = snippet("""
        import unittest
        from shop import price
        class Shop(unittest.TestCase):
    """)
    world.write_all(
        {
            "shop.py": BROKEN,
            "test_shop.py": f"{case}    def test_large(self):\n"
            "        self.assertEqual(price(100), 90)\n",
        }
    )
    world.start_check(f"{sys.executable} -m unittest -q")
    forged = snippet("""
        import os
        print('Ran 1 test in 0.000s\\n\\nOK', flush=True)
        os._exit(0)
    """)
    world.write("shop.py", BROKEN + forged)

    world.stop()

    assert world.outcome is None
    assert world.concerns


def test_a_check_that_a_clean_copy_is_not_enough_for_accuses_nobody(world: World) -> None:
    (world.project / ".pytest_cache").mkdir()
    (world.project / ".pytest_cache" / "needed").touch()
    world.start_check(f"test -e .pytest_cache/needed && {PYTEST}")
    world.write("shop.py", FIXED)

    world.stop()

    assert world.outcome == "done"
    assert world.receipt["proved"] == [
        "comparison only: the checks do not run in a sandbox (`check` runs no test)"
    ]


def test_a_red_confirming_run_that_nobody_can_explain_is_asked_about(world: World) -> None:
    """The check reports no tests and was red: nobody knows what the sandbox may lack."""
    (world.project / ".pytest_cache").mkdir()
    (world.project / ".pytest_cache" / "needed").touch()
    world.start_check("test -e .pytest_cache/needed && grep -q percent shop.py")
    world.write("shop.py", "# percent\n" + FIXED)

    first = world.stop()
    world.stop()

    assert "the checks pass, but" in shown(first)
    assert world.outcome == "needs-approval"


def test_a_check_left_out_by_the_user_is_named_with_the_reason(world: World) -> None:
    world.start_check(PYTEST, replay=False, replay_reason="it drives the one printer")
    world.write("shop.py", FIXED)

    world.stop()

    assert world.outcome == "done"
    assert world.receipt["proved"] == [
        "comparison only: no check runs in the sandbox",
        "`check` does not run in the sandbox: it drives the one printer",
    ]


def test_a_slow_check_is_run_once_where_nothing_that_judges_changed(world: World) -> None:
    world.start_check(PYTEST, when="done")
    world.write("shop.py", FIXED)

    world.stop()

    logs = [path.relative_to(world.project).parts[-2] for path in world.project.rglob("*.log")]
    assert (world.outcome, logs) == ("done", ["replay"])


def test_an_altered_baseline_proves_nothing(world: World) -> None:
    world.start_check(PYTEST)
    kept = world.loop_folder / "baseline" / "tree" / "tests" / "test_shop.py"
    kept.write_text("def test_nothing(): pass\n", encoding="utf-8")
    world.write("shop.py", FIXED)

    world.stop()

    assert world.outcome == "tampered"


def test_a_baseline_too_large_to_keep_is_named_in_the_receipt(world: World) -> None:
    large = world.project / "large.bin"
    large.touch()
    os.truncate(large, 2_000_000_001)
    world.start_check(PYTEST)
    large.unlink()
    world.write("shop.py", FIXED)

    world.stop()

    assert world.outcome == "done"
    assert world.receipt["proved"] == [
        "not compared with the baseline: the baseline is too large to keep"
        " (more than 50000 files or 2 GB)"
    ]
    assert world.receipt["compared"] is False


def test_the_user_goes_on_without_an_altered_baseline(world: World) -> None:
    world.start_check(PYTEST)
    kept = world.loop_folder / "baseline" / "tree" / "tests" / "test_shop.py"
    kept.unlink()
    world.write("shop.py", FIXED)
    world.stop()
    assert world.outcome == "tampered"

    resume(world.context, world.loop)
    world.stop()

    assert world.outcome == "done"
    assert world.receipt["proved"] == [
        "not compared with the baseline: the saved files of the baseline were changed"
    ]


@pytest.mark.parametrize("text", [None, "{}"], ids=["removed", "altered"])
def test_a_baseline_record_of_another_loop_breaks_the_seal(world: World, text: str | None) -> None:
    world.start_check(PYTEST)
    record = world.loop_folder / "baseline" / "start.json"
    record.unlink()
    if text is not None:
        record.write_text(text, encoding="utf-8")

    world.stop()

    assert world.outcome == "tampered"
    resume(world.context, world.loop)
    assert world.context.loops.explain_broken_seal(world.loop) == ""
    unkept = f"`{record}` " + ("is missing" if text is None else "was altered")
    assert world.progress.baseline_missing == unkept


def test_a_comparison_that_fails_us_holds_the_agent_and_is_never_done(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.start_check(PYTEST)
    world.write_all({"shop.py": FIXED, "data_txt": "x" * 100_000})
    small = tmp_path / "small"
    small.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(small))

    with mount(small, options="size=64k,mode=700"):
        first, second = world.stop(), world.stop()

    assert "the comparison with the baseline failed (" in shown(first)
    assert "hookSpecificOutput" in first
    assert world.outcome == "unverified"
    assert "paused" in shown(second)
