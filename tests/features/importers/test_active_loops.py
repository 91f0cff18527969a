"""Active loops of other tools are found by the paths and the readers of their formats."""

from pathlib import Path

import pytest

from features.importers.formats import samples
from untildone.app import open_context
from untildone.features.importers.active_loops import report_active_loops
from untildone.features.importers.formats import LOOP_FORMATS

FILES = {
    "shipkit": (".shipkit/relentless-state.local.md", samples.SHIPKIT),
    "stravinsky": (".stravinsky/continuation-loop.md", samples.STRAVINSKY),
    "ralph-loop": (".claude/ralph-loop.local.md", samples.RALPH),
    "hope": (".loop/state.json", samples.HOPE),
    "jikime": (".jikime/cache/.jikime_loop_state.json", samples.JIKIME),
    "shipspec": (".claude/shipspec-task-loop.local.md", samples.SHIPSPEC_OLD),
    "smart-ralph": ("specs/login/.ralph-state.json", samples.SMART_RALPH),
    "open-ralph": (".ralph/ralph-loop.state.json", samples.OPEN_RALPH),
}


def find_active(project: Path, path: str, text: str) -> list[str]:
    file = project / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    state = open_context({}, home=str(project / "state"))
    return [problem.text.split("`")[1] for problem in report_active_loops(state, project)]


@pytest.mark.parametrize("name", sorted(LOOP_FORMATS.keys() - {"frankbria"}))
def test_the_sample_of_every_format_is_reported(tmp_path: Path, name: str) -> None:
    path, text = FILES[name]

    assert find_active(tmp_path, path, text) == [path]


def test_a_list_of_work_is_not_a_running_loop(tmp_path: Path) -> None:
    assert find_active(tmp_path, "fix_plan.md", samples.FIX_PLAN) == []


@pytest.mark.parametrize(
    ("name", "active", "over"),
    [
        ("shipkit", "iteration: 3", "iteration: 3\nenabled: false"),
        ("hope", "in_progress", "completed"),
        ("jikime", '"active": true,', '"active": true, "final_status": "done",'),
        ("smart-ralph", "execution", "design"),
    ],
)
def test_a_loop_that_is_over_is_not_reported(
    tmp_path: Path, name: str, active: str, over: str
) -> None:
    path, text = FILES[name]
    assert active in text

    assert find_active(tmp_path, path, text.replace(active, over, 1)) == []
