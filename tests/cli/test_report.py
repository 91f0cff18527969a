"""`untildone report`: a loop, a plan or a history as a page, Markdown or JSON."""

import json
from pathlib import Path

import msgspec
import pytest

from cli.world import CommandLine, error
from report.page.sample_loops import make_history, make_record
from untildone.app import open_context
from untildone.cli.report import write_page
from untildone.report.page.values import LoopView
from untildone.report.page.view import build_loop_view
from untildone.runs.plan.plan_journal import PlanJournal, TaskProgress
from untildone.runs.plan.workspace import find_state_folder
from world import CHECK, SESSION


@pytest.fixture
def loop(cli: CommandLine) -> str:
    """A loop with one round."""
    loop = cli.start("--check", CHECK, "--task", "write it")
    cli.event("Stop", last_assistant_message="Done!")
    return loop


def test_the_page_is_written_into_the_project(cli: CommandLine, loop: str) -> None:
    code, out, _ = cli.run("report")

    path = cli.project / ".untildone" / f"report-{loop}.html"
    assert (code, out) == (0, f"report: {path}\n")
    page = path.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "<script" not in page
    assert "At work: 1 of 10 rounds judged" in page
    assert "Done!" in page


def test_a_page_is_written_or_printed_where_you_say(cli: CommandLine, loop: str) -> None:
    written = cli.run("report", loop, "--html", "page.html")
    printed = cli.run("report", loop, "--html", "-")

    assert written == (0, "report: page.html\n", "")
    assert printed[1] == cli.read("page.html")
    assert cli.run("report", loop, "--html", "no/page.html") == error(
        "there is no folder `no`", "name a file in a folder there is"
    )


def test_where_the_project_has_no_place_for_it_the_page_goes_to_the_loop(
    cli: CommandLine, loop: str
) -> None:
    folder = cli.project / ".untildone"
    folder.rename(cli.project / "elsewhere")
    folder.symlink_to(cli.project / "elsewhere")

    code, out, _ = cli.run("report")

    assert (code, out) == (
        0,
        f"report: {cli.state_folder / 'loops' / loop / f'report-{loop}.html'}\n",
    )


@pytest.mark.parametrize("status", [0, 1])
def test_it_is_opened_in_the_browser_of_the_user(
    cli: CommandLine, loop: str, status: int, tmp_path: Path
) -> None:
    browser = tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/opened\nexit {status}\n')
    browser.chmod(0o755)

    code, _, said = cli.run_process("report", loop, "--open", BROWSER=f"{browser} %s")

    page = cli.project / ".untildone" / f"report-{loop}.html"
    assert (tmp_path / "opened").read_text() == f"{page.as_uri()}\n"
    expected = f"no browser could be started; open {page} yourself\n" if status else ""
    assert (code, said) == (0, expected)


def test_markdown_and_json_are_printed_and_write_nothing(cli: CommandLine, loop: str) -> None:
    before = sorted(cli.project.rglob("*"))

    markdown = cli.run("report", "--markdown")[1]
    view = msgspec.convert(cli.json("report"), LoopView)

    assert markdown.startswith(
        "<!-- untildone report -->\n\n### 🔵 At work: 1 of 10 rounds judged\n"
    )
    assert (view.loop, view.round_count, view.rounds[0].message) == (loop, 1, "Done!")
    assert view.rounds[0].feedback.startswith("[untildone] Round 1 of 10: not done yet.")
    assert sorted(cli.project.rglob("*")) == before


def test_all_loops_of_the_project(cli: CommandLine, loop: str) -> None:
    cli.run("cancel", loop)

    assert cli.run("report", "--all")[1] == f"report: {cli.project}/.untildone/history.html\n"
    view = cli.json("report", "--all")
    assert [(row["loop"], row["state"]) for row in view["rows"]] == [(loop, "cancelled")]
    assert cli.run("report", "--all", "--markdown") == error(
        "`--markdown` is about one loop", "name it: `untildone report LOOP --markdown`"
    )


def test_a_plan_with_the_loops_of_its_tasks(cli: CommandLine) -> None:
    tasks = {
        "T1": {"title": "Write it", "phase": 1, "points": 1, "testing": [f"`{CHECK}` exits 0"]},
        "T2": {"title": "Ship it", "points": 2, "depends_on": ["T1"]},
    }
    plan = {"feature": "notes", "phases": [{"id": 1, "name": "First"}], "tasks": tasks}
    path = cli.write("TASKS.json", json.dumps(plan))
    cli.run("plan", "start", "T1", "--session", SESSION)
    loop = cli.start("--check", CHECK, session="other")
    context = open_context(home=str(cli.state_folder))
    journal = PlanJournal(find_state_folder(context, path), context.now)
    find_state_folder(context, path).mkdir(parents=True)
    journal.append("T2", TaskProgress(step="merged", merge="1b" * 20, loops=(loop,)))

    view = cli.json("report", "--plan")
    page = cli.run("report", "--plan", "notes")

    first, second = view["tasks"]
    assert (first["phase"], first["state"], len(first["loops"])) == ("First", "in progress", 1)
    assert (second["state"], second["note"], second["loops"][0]["loop"]) == (
        *("completed", "merged as 1b1b1b1b1b1b", loop),
    )
    assert page[:2] == (0, f"report: {cli.project}/.untildone/plan.html\n")


def test_one_thing_at_a_time(cli: CommandLine) -> None:
    assert cli.run("report", "1f2e", "--all") == error(
        "a loop and `--all` cannot be reported on together", "name one of them"
    )


def test_no_page_replaces_a_folder(tmp_path: Path) -> None:
    history = make_history()
    view = build_loop_view(make_record(history), history)

    with pytest.raises(OSError, match="directory"):
        write_page(view, tmp_path)
