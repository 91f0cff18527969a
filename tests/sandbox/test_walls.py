"""What the checks in a sandbox do not share with the agent, and what they still have."""

import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from integrity.trees import write_tree
from snippets import snippet
from untildone.core.sandbox_trial import ALL_WALLS, Wall
from untildone.process.runner import run
from untildone.sandbox.bytecode import find_new_bytecode
from untildone.sandbox.sandbox_source import Sandbox, SandboxFiles, SandboxSource
from untildone.sandbox.sandboxes import open_sandbox
from untildone.worktree.contents import walk_files
from untildone.worktree.stamps import read_stamps

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has namespaces")


class Place:
    """A project in a home folder, and what the sandbox gets of both."""

    def __init__(self, folder: Path) -> None:
        self.home, self.state = folder / "home", folder / "state"
        self.project = write_tree(self.home / "project", {"app.txt": "now"})
        write_tree(self.state, {"loops/1/state.json": "{}"})
        self.ignored: tuple[str, ...] = ()
        self.environ = {"HOME": str(self.home), "PATH": os.environ["PATH"]}

    def source(self, *walls: Wall) -> SandboxSource:
        return SandboxSource(
            project=self.project,
            environ=self.environ,
            baseline_environ={},
            since=time.time() + 1,
            ignored=self.ignored,
            stamps=dict(read_stamps(self.project, self.ignored)),
            walls=walls or ALL_WALLS,
            hidden_folders=(self.state,),
            lent_paths=(Path(sys.prefix),),
        )

    @contextmanager
    def open(self, source: SandboxSource | None = None) -> Iterator[Sandbox]:
        ignored = source.ignored if source else self.ignored
        paths = walk_files(self.project, ignored=ignored)
        files = SandboxFiles({path: self.project / path for path in paths}, ())
        with open_sandbox(files, source or self.source()) as sandbox:
            if not sandbox.walls:
                pytest.skip("this system does not allow a namespace")
            yield sandbox

    def shell(self, sandbox: Sandbox, command: str) -> str:
        argv = (*sandbox.wrapper_argv, "sh", "-c", command)
        return run(argv, cwd=sandbox.project, timeout=60, env=sandbox.environ).text.strip()

    def see(self, command: str, source: SandboxSource | None = None) -> str:
        with self.open(source) as sandbox:
            return self.shell(sandbox, command)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_files_in_temporary_folders_are_out_of_reach(place: Place, tmp_path: Path) -> None:
    answers = write_tree(tmp_path / "answers", {"a.txt": "6"}) / "a.txt"

    assert place.see(f"cat {answers}; ls /tmp/* /dev/shm | grep answers; echo $TMPDIR") == (
        f"cat: {answers}: No such file or directory\n/tmp"
    )


def test_the_home_folder_has_toolchains_only(place: Place) -> None:
    write_tree(
        place.home,
        {
            "answers.txt": "6",
            ".cache/answers/a.txt": "6",
            ".cache/pip/wheel": "w",
            ".cargo/registry/index": "i",
            ".npmrc": "old",
        },
    )

    seen = place.see('cd "$HOME"; find . -type f | grep -v untildone | sort')

    assert seen.splitlines() == [
        "./.cache/pip/wheel",
        "./.cargo/registry/index",
        "./.npmrc",
        "./project/app.txt",
    ]


def test_what_is_written_to_the_home_folder_is_discarded(place: Place) -> None:
    write_tree(place.home, {".cargo/registry/index": "i"})

    seen = place.see('cd "$HOME"; echo x > .cargo/registry/index; echo y > new; cat new')

    assert seen == "y"
    assert (place.home / ".cargo/registry/index").read_text(encoding="utf-8") == "i"
    assert not (place.home / "new").exists()


def test_settings_made_meanwhile_are_hidden(place: Place) -> None:
    source = place.source()
    time.sleep(1.1)
    write_tree(place.home, {".npmrc": "script-shell=true\n"})

    assert place.see('ls -A "$HOME"', source) == "project"


def test_our_state_is_out_of_reach(place: Place) -> None:
    assert place.see(f"ls {place.state}", place.source("tree")) == ""


def test_servers_of_the_agent_are_out_of_reach(place: Place) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        connect = f"import socket; socket.create_connection(('127.0.0.1', {port}), 5)"
        own = (
            "import socket; s = socket.create_server(('127.0.0.1', 0));"
            " socket.create_connection(s.getsockname(), 5); print('own')"
        )
        python = shlex.quote(sys.executable)

        seen = place.see(f"{python} -c {shlex.quote(connect)}; {python} -c {shlex.quote(own)}")

    assert "Connection refused" in seen
    assert seen.endswith("own")


def test_processes_outside_are_out_of_reach(place: Place) -> None:
    with subprocess.Popen(["sleep", "60"]) as outside:
        seen = place.see(f"kill -9 {outside.pid} 2>&1; ls /proc | grep -c '^[0-9]'")
        alive = outside.poll() is None
        outside.kill()

    assert alive
    assert int(seen.splitlines()[-1]) < 10


def test_what_a_check_leaves_behind_ends_with_the_sandbox(place: Place) -> None:
    with place.open() as sandbox:
        place.shell(sandbox, "setsid sh -c 'exec -a left-behind sleep 61' >/dev/null 2>&1 &")

    found = subprocess.run(["pgrep", "-f", "left-behind"], capture_output=True, check=False)
    assert found.stdout == b""


def test_no_mount_can_be_undone(place: Place, tmp_path: Path) -> None:
    write_tree(tmp_path, {"answers.txt": "6"})

    seen = place.see(f"umount -l /tmp; unshare -rm umount -l /tmp; cat {tmp_path / 'answers.txt'}")

    assert seen.endswith("No such file or directory")


def test_a_wall_that_is_left_out_is_open(place: Place, tmp_path: Path) -> None:
    answers = write_tree(tmp_path / "answers", {"a.txt": "6"}) / "a.txt"

    assert place.see(f"cat {answers}", place.source("tree", "home")) == "6"


def test_a_folder_that_the_agent_has_made_is_left_out(place: Place) -> None:
    place.ignored = ("generated",)
    source = place.source()
    write_tree(place.project, {"generated/answers.py": "6", "target/answers.py": "6"})

    assert place.see("find . -name answers.py", source) == ""


def test_a_large_ignored_folder_has_what_did_not_change(place: Place) -> None:
    place.ignored = ("built",)
    write_tree(place.project, {"built/old.o": "old", "built/changed.o": "old"})
    source = place.source()
    write_tree(place.project, {"built/changed.o": "new", "built/added.o": "new"})

    assert place.see("ls built", source) == "old.o"
    assert (place.project / "built/added.o").exists()


def test_a_small_ignored_folder_is_as_it_was(place: Place, tmp_path: Path) -> None:
    place.ignored = ("generated",)
    write_tree(place.project, {"generated/units.py": "new", "generated/more.py": "new"})
    saved = write_tree(tmp_path / "saved", {"generated/units.py": "old"})
    source = replace(place.source(), saved_folders=saved)

    assert place.see("cat generated/*; echo x > generated/units.py", source) == "old"
    assert (saved / "generated/units.py").read_text(encoding="utf-8") == "old"


def test_packages_are_lent_as_they_are(place: Place) -> None:
    place.ignored = ("node_modules",)
    source = place.source()
    write_tree(place.project, {"node_modules/a/index.js": "a"})

    assert place.see("cat node_modules/a/index.js", source) == "a"


def test_programs_in_temporary_and_home_folders_are_found(place: Place, tmp_path: Path) -> None:
    for folder in (tmp_path / "opt" / "tool" / "bin", place.home / "go" / "bin"):
        program = folder / f"say-{folder.parent.name}"
        write_tree(folder, {program.name: "#!/bin/sh\ncat $(dirname $0)/../text\n"})
        write_tree(folder.parent, {"text": f"{folder.parent.name}\n"})
        program.chmod(0o755)
        place.environ["PATH"] += f":{folder}"

    assert place.see("say-tool; say-go") == "tool\ngo"


def test_scripts_of_the_project_are_those_of_the_copy(place: Place) -> None:
    write_tree(place.project, {"ci/check.sh": "true"})
    source = replace(place.source(), lent_paths=(place.project / "ci",))
    files = SandboxFiles({"ci/check.sh": "exit 1"}, ("ci/check.sh",))

    with open_sandbox(files, source) as sandbox:
        assert place.shell(sandbox, "cat ci/check.sh") == "exit 1"


def test_a_program_put_before_another_one_is_hidden(place: Place) -> None:
    shim = place.home / ".local" / "bin" / "git"
    write_tree(shim.parent, {"git": "#!/bin/sh\necho shim\n", "own": "#!/bin/sh\necho own\n"})
    for name in ("git", "own"):
        (shim.parent / name).chmod(0o755)
    place.environ["PATH"] = f"{shim.parent}:{place.environ['PATH']}"
    source = replace(place.source(), hidden_files=(shim,))

    assert place.see("own; git --version | cut -c1-11", source) == "own\ngit version"
    assert shim.exists()


CHEATING_BYTECODE = snippet("""
    import importlib.util, marshal, os, struct
    code = compile("print('cheats')", 'tool.py', 'exec')
    stat = os.stat('tool.py')
    path = importlib.util.cache_from_source('tool.py')
    os.makedirs(os.path.dirname(path), exist_ok=True)
    head = struct.pack('<III', 0, int(stat.st_mtime), stat.st_size)
    open(path, 'wb').write(importlib.util.MAGIC_NUMBER + head + marshal.dumps(code))
""")


def test_byte_code_of_the_agent_is_not_loaded(place: Place, tmp_path: Path) -> None:
    """A `.pyc` claims to be that of a source, in the project or among installed modules."""
    modules = tmp_path / "modules"
    for folder in (place.project, modules):
        write_tree(folder, {"tool.py": "print('checks')\n"})
    write_tree(modules, {"other.py": "print('other')\n"})
    python = shlex.quote(sys.executable)
    subprocess.run([sys.executable, "-c", "import other"], cwd=modules, check=True)
    since = time.time()
    for folder in (place.project, modules):
        subprocess.run([sys.executable, "-c", CHEATING_BYTECODE], cwd=folder, check=True)

    hidden = tuple(find_new_bytecode([modules], since=since))
    source = replace(place.source(), hidden_files=hidden, lent_paths=(modules, Path(sys.prefix)))

    assert [path.name.partition(".")[0] for path in hidden] == ["tool"]
    command = f"{python} -c 'import tool'; cd {modules}; {python} -c 'import tool, other'"
    assert place.see(command, source) == "checks\nchecks\nother"


def test_one_sandbox_is_shared_by_the_commands_that_run_in_it(place: Place) -> None:
    """The tests read what the build wrote into an ignored folder."""
    place.ignored = ("dist",)
    write_tree(place.project, {"dist/old.js": "old"})

    with place.open(place.source()) as sandbox:
        place.shell(sandbox, "echo new > dist/new.js; echo t > /tmp/t")
        seen = place.shell(sandbox, "cat dist/new.js /tmp/t")
        written = (sandbox.written_project / "dist" / "new.js").read_text(encoding="utf-8")

    assert (seen, written) == ("new\nt", "new\n")


def test_a_sandbox_that_was_possible_and_is_refused_is_a_fault(place: Place) -> None:
    source = replace(place.source(), was_possible=True)
    with open_sandbox(SandboxFiles({}, ()), source, beside=True) as refused:
        fault = refused.fault

    assert fault == "a sandbox with walls could be made on the baseline, and cannot be made now"
