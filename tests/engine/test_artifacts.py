"""What is left in the repository: never through a link, never a reason to fail."""

from pathlib import Path

from msgspec.structs import replace

from core.samples import contract
from untildone.app import open_context
from untildone.engine.artifacts import make_log_folder, open_artifact_folder, write_task
from untildone.engine.context import Context
from untildone.engine.loop_start import begin_loop
from untildone.engine.receipts import publish_receipt
from untildone.engine.request import Request
from untildone.store.loops import Record

SESSION = "5f0c2a9e-0000-4000-8000-00000000000a"


def start_loop(tmp_path: Path) -> tuple[Context, Record, Path]:
    project = tmp_path / "project"
    project.mkdir()
    here = open_context({}, home=str(tmp_path / "state"))
    record = begin_loop(here, Request(session=SESSION, project=project, promises=("DONE",)))
    return here, record, project


def test_the_folder_ignores_itself(tmp_path: Path) -> None:
    assert open_artifact_folder(tmp_path) == tmp_path / ".untildone"
    assert (tmp_path / ".untildone" / ".gitignore").read_text(encoding="utf-8") == "*\n"


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    here, record, project = start_loop(tmp_path)
    (project / ".untildone").symlink_to(outside)

    publish_receipt(here, record, project=project)
    write_task(project, replace(record.contract, task="t" * 20_000))

    assert open_artifact_folder(project) is None
    assert make_log_folder(project, "a1", 1) is None
    assert list(outside.iterdir()) == []


def test_links_inside_it_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    precious = outside / "precious"
    precious.write_text("mine", encoding="utf-8")
    here, record, project = start_loop(tmp_path)
    artifacts = project / ".untildone"
    artifacts.mkdir()
    (artifacts / "receipt.md").symlink_to(precious)
    (artifacts / "receipt.json").symlink_to(precious)
    (artifacts / ".gitignore").symlink_to(outside / "made")
    (artifacts / "rounds").symlink_to(outside)

    publish_receipt(here, record, project=project)

    assert make_log_folder(project, "a1", 1) is None
    assert [path.name for path in outside.iterdir()] == ["precious"]
    assert precious.read_text(encoding="utf-8") == "mine"
    assert not (artifacts / "receipt.md").is_symlink()


def test_a_file_in_its_place_is_left_alone(tmp_path: Path) -> None:
    here, record, project = start_loop(tmp_path)
    (project / ".untildone").write_text("mine", encoding="utf-8")

    publish_receipt(here, record, project=project)

    assert open_artifact_folder(project) is None
    assert (project / ".untildone").read_text(encoding="utf-8") == "mine"
    assert (here.loops.get_folder(record.contract.id) / "receipt.md").is_file()


def test_a_receipt_that_cannot_be_left_in_the_project_changes_nothing(tmp_path: Path) -> None:
    here, record, project = start_loop(tmp_path)
    (project / ".untildone" / "receipt.json").mkdir(parents=True)

    publish_receipt(here, record, project=project)

    assert (here.loops.get_folder(record.contract.id) / "receipt.json").is_file()


def test_logs_of_the_last_rounds_are_kept(tmp_path: Path) -> None:
    for number in range(1, 9):
        found = make_log_folder(tmp_path, "a1", number)
        assert found is not None
        (found / "test.log").write_text("x", encoding="utf-8")

    kept = {path.name for path in (tmp_path / ".untildone" / "rounds" / "a1").iterdir()}
    assert len(kept) == 5
    assert "8" in kept


def test_a_long_task_stands_whole_in_the_project(tmp_path: Path) -> None:
    task = "\udcff" + "t" * 20_000
    write_task(tmp_path, contract(task=task))

    assert (tmp_path / ".untildone" / "task-a1.md").read_bytes() == b"\xff" + b"t" * 20_000


def test_a_short_task_leaves_nothing(tmp_path: Path) -> None:
    write_task(tmp_path, contract(task="t"))

    assert list(tmp_path.iterdir()) == []
