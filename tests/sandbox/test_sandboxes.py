"""A clean copy, furnished: what runs there sees it, and nothing of it reaches the project."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import msgspec
import pytest

from integrity.trees import tree, write_tree
from untildone.integrity.comparison import compare_trees
from untildone.integrity.experiments.sandbox_files import take_tree
from untildone.process.runner import run
from untildone.sandbox import sandboxes
from untildone.sandbox.mount_plan import Layout, plan_mounts
from untildone.sandbox.namespace_holder import hold_namespaces
from untildone.sandbox.sandbox_source import Sandbox, SandboxFiles, SandboxSource
from untildone.worktree.contents import read_tree, walk_files
from untildone.worktree.stamps import read_stamps

PYTHON = f"{sys.executable}"


class Yard:
    """A project, its user's home, and the copy that is to be made."""

    def __init__(self, top: Path) -> None:
        self.project, self.home, self.copy = top / "project", top / "home", top / "copy"
        self.home.mkdir()

    def place(self, *ignored: str, **given: Mapping[str, str]) -> SandboxSource:
        environ = {"HOME": str(self.home), "PATH": os.environ["PATH"], **given.get("environ", {})}
        return SandboxSource(
            project=self.project,
            ignored=ignored,
            environ=environ,
            baseline_environ=given.get("baseline_environ", {}),
            since=time.time(),
            stamps=dict(read_stamps(self.project, ignored)),
        )

    def composed(self, files: dict[str, str]) -> SandboxFiles:
        other = tree(self.copy, files)
        now = read_tree(self.project, walk_files(self.project))
        return take_tree(compare_trees(other, now, ()), current=False)


def run_in_sandbox(place: Sandbox, *argv: str) -> str:
    finished = run((*place.wrapper_argv, *argv), cwd=place.project, timeout=60, env=place.environ)
    return finished.text.strip()


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return Yard(tmp_path)


def in_place(place: Sandbox) -> None:
    if not place.wrapper_argv:
        pytest.skip("this system does not allow a namespace")


def test_the_copy_stands_at_the_place_of_the_project_and_leaves_it_alone(yard: Yard) -> None:
    write_tree(yard.project, {"app.txt": "now", "deps/lib.txt": "lib"})
    before = dict(read_tree(yard.project, walk_files(yard.project)).entries)

    with sandboxes.open_sandbox(yard.composed({"app.txt": "start"}), yard.place("deps")) as place:
        in_place(place)
        seen = run_in_sandbox(place, "cat", str(yard.project / "app.txt"), "deps/lib.txt")
        run_in_sandbox(
            place, "sh", "-c", "echo more > app.txt; echo more > new.txt; echo x > deps/lib.txt"
        )

    assert seen == "startlib"
    assert dict(read_tree(yard.project, walk_files(yard.project)).entries) == before
    assert not place.written_project.exists()


def test_a_command_in_the_copy_ends_as_it_would_outside(yard: Yard) -> None:
    write_tree(yard.project, {"plain": "exit 7\n"})
    composed = yard.composed({"plain": "exit 7\n"})
    with sandboxes.open_sandbox(composed, yard.place()) as place:
        in_place(place)
        (place.written_project / "plain").chmod(0o755)
        codes = [
            run((*place.wrapper_argv, *argv), cwd=place.project, timeout=60).exit_code
            for argv in (("sh", "-c", "exit 3"), ("./no-such-program",), ("/",), ("./plain",))
        ]

    assert codes == [3, 127, 126, 7]


def test_without_its_mark_the_copy_is_not_believed(yard: Yard, tmp_path: Path) -> None:
    write_tree(yard.project, {"app.txt": "now"})
    layout = Layout(tmp_path / "sandbox")
    for folder in (layout.copy, layout.scratch, layout.exchange):
        folder.mkdir(parents=True)
    plan = tmp_path / "plan.json"
    plan.write_bytes(msgspec.json.encode(plan_mounts(yard.place(), layout, mark="mark")))

    with hold_namespaces(plan) as without_mark:
        pass
    (layout.copy / "mark").touch()
    shutil.rmtree(layout.top / "scratch")
    layout.scratch.mkdir()
    with hold_namespaces(plan) as with_mark:
        pass

    assert (without_mark == 0, with_mark > 0) == (True, True)


def test_an_editable_install_leads_into_the_copy(yard: Yard) -> None:
    packages = f"lib/python3.{sys.version_info[1]}/site-packages"
    files = {".venv/pyvenv.cfg": "", f".venv/{packages}/a.pth": f"{yard.project / 'src'}\n"}
    write_tree(yard.project, {"src/app.py": "TREE = 'project'", **files})
    composed = yard.composed({"src/app.py": "TREE = 'copy'"})

    with sandboxes.open_sandbox(composed, yard.place(".venv"), beside=True) as place:
        seen = run_in_sandbox(place, sys.executable, "-c", "import app; print(app.TREE)")

    assert (seen, place.unproved) == ("copy", "")


def test_an_import_hook_that_names_the_project_cannot_be_led(yard: Yard) -> None:
    packages = ".venv/lib/python3.11/site-packages"
    hook = {f"{packages}/__editable___app_finder.py": f"MAPPING = {str(yard.project)!r}"}
    write_tree(yard.project, {".venv/pyvenv.cfg": "", **hook})

    with sandboxes.open_sandbox(yard.composed({}), yard.place(".venv"), beside=True) as place:
        unproved = place.unproved

    assert unproved == "`__editable___app_finder.py` leads imports into the project itself"


def test_packages_of_the_workspace_lead_into_the_copy(yard: Yard) -> None:
    write_tree(
        yard.project,
        {
            "packages/own/index.js": "project",
            "node_modules/other/index.js": "other",
            "target/built": "cold",
            "data/large.txt": "data",
        },
    )
    (yard.project / "node_modules" / "@us").mkdir()
    for link in ("own", "@us/own"):
        (yard.project / "node_modules" / link).symlink_to(yard.project / "packages" / "own")
    composed = yard.composed({"packages/own/index.js": "copy"})

    with sandboxes.open_sandbox(composed, yard.place("data", "target"), beside=True) as place:
        modules = place.written_project / "node_modules"
        read = [(modules / name / "index.js").read_text() for name in ("own", "@us/own", "other")]
        data = (place.written_project / "data" / "large.txt").read_text()

    assert (read, data) == (["copy", "copy", "other"], "data")
    assert place.environ["CARGO_TARGET_DIR"] == str(place.written_project.parent / "target")


def test_settings_made_while_the_loop_ran_stay_outside(yard: Yard) -> None:
    write_tree(yard.project, {"app.txt": ""})
    user_site = ".local/lib/python3.11/site-packages"
    write_tree(yard.home, {".npmrc": "old", ".cargo/registry/index": "", f"{user_site}/a.py": ""})
    os.sync()
    time.sleep(0.05)
    place = yard.place()
    time.sleep(0.05)
    write_tree(yard.home, {".gitconfig": "new", f"{user_site}/usercustomize.py": "new"})

    with sandboxes.open_sandbox(yard.composed({}), place, beside=True) as made:
        home = Path(made.environ["HOME"])
        found = sorted(path.relative_to(home).as_posix() for path in home.rglob("*"))

    assert found == [".cargo", ".cargo/registry", ".npmrc"]
    assert made.environ["PYTHONNOUSERSITE"] == "1"


def test_variables_that_steer_tools_are_those_of_the_baseline(yard: Yard) -> None:
    write_tree(yard.project, {"app.txt": ""})
    now = {"NODE_OPTIONS": "--require ./cheat.js", "GOFLAGS": "-run=None", "LANG": "C"}
    place = yard.place(environ=now, baseline_environ={"GOFLAGS": "-mod=vendor"})

    with sandboxes.open_sandbox(yard.composed({}), place, beside=True) as made:
        steered = {name: made.environ.get(name) for name in now}

    assert steered == {"NODE_OPTIONS": None, "GOFLAGS": "-mod=vendor", "LANG": "C"}


def test_restored_files_are_new_and_the_others_keep_their_time(yard: Yard) -> None:
    write_tree(yard.project, {"app.rs": "", "tests/a.rs": "now"})
    write_tree(yard.copy, {"tests/a.rs": "start"})
    for path in (yard.project / "app.rs", yard.copy / "tests/a.rs"):
        os.utime(path, (1, 1))
    files: dict[str, Path | str] = {
        "app.rs": yard.project / "app.rs",
        "tests/a.rs": yard.copy / "tests/a.rs",
        "gone.rs": yard.project / "gone.rs",
    }

    with sandboxes.open_sandbox(
        SandboxFiles(files, ("tests/a.rs",)), yard.place(), beside=True
    ) as place:
        times = {
            name: (place.written_project / name).stat().st_mtime > 1
            for name in ("app.rs", "tests/a.rs")
        }

    assert times == {"app.rs": False, "tests/a.rs": True}


def test_its_repository_is_its_own(yard: Yard) -> None:
    """A worktree names the user's repository in a file: a commit there would be theirs."""
    main = yard.project.with_name("main")
    subprocess.run(["git", "init", "-q", str(main)], check=True)
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", *author, "commit", "-qm", "x", "--allow-empty"], cwd=main, check=True)
    subprocess.run(["git", "worktree", "add", "-q", str(yard.project)], cwd=main, check=True)
    write_tree(yard.project, {"app.txt": "now"})
    log = ["git", "log", "--all", "--oneline"]
    before = subprocess.run(log, cwd=main, capture_output=True, check=True)

    composed = take_tree(
        compare_trees(tree(yard.copy, {}), read_tree(yard.project, walk_files(yard.project)), ()),
        current=True,
    )
    with sandboxes.open_sandbox(composed, yard.place()) as place:
        listed = run_in_sandbox(place, "git", "ls-files")

    after = subprocess.run(log, cwd=main, capture_output=True, check=True)
    assert (listed, after.stdout) == ("app.txt", before.stdout)


def test_a_build_folder_elsewhere_is_not_written_to(yard: Yard, tmp_path: Path) -> None:
    write_tree(yard.project, {"app.txt": ""})
    target = write_tree(tmp_path / "target", {"built": "by the project"})
    place = yard.place(environ={"CARGO_TARGET_DIR": str(target)})

    with sandboxes.open_sandbox(yard.composed({}), place) as made:
        in_place(made)
        seen = run_in_sandbox(
            made, "sh", "-c", 'cat "$CARGO_TARGET_DIR/built"; echo x > "$CARGO_TARGET_DIR/built"'
        )

    assert (seen, (target / "built").read_text()) == ("by the project", "by the project")
