"""What stands around the checks: another program, setting or start-up file is told of."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from integrity.trees import written
from untildone.integrity.environment.check_programs import find_check_programs
from untildone.integrity.environment.comparison import find_environment_concerns
from untildone.integrity.environment.facts import collect_facts


class Person:
    """A home, a project, and a folder of programs that stands behind the home's own."""

    def __init__(self, top: Path) -> None:
        self.home, self.project, self.bin = top / "home", top / "project", top / "bin"
        for folder in (self.home / ".local" / "bin", self.project, self.bin):
            folder.mkdir(parents=True)
        folders = (self.home / ".local" / "bin", self.bin, "/usr/bin", "/bin")
        self.environ = {"HOME": str(self.home), "PATH": os.pathsep.join(map(str, folders))}

    def program(self, name: str, text: str = "#!/bin/sh\n", *, home: bool = False) -> Path:
        place = (self.home / ".local" / "bin" if home else self.bin) / name
        place.write_text(text, encoding="utf-8")
        place.chmod(0o755)
        return place

    def noted(self, *commands: str) -> dict[str, str]:
        return collect_facts(self.project, commands, self.environ)

    def lost(self, then: dict[str, str], *commands: str) -> list[str]:
        return [
            each.detail
            for each in find_environment_concerns(self.project, commands, self.environ, then)
        ]


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path)


needs_posix = pytest.mark.skipif(os.name == "nt", reason="programs are scripts here")


@needs_posix
def test_a_program_in_front_of_the_one_of_the_start_is_told_of(person: Person) -> None:
    real = person.program("pytest")
    then = person.noted("pytest -q")
    shim = person.program("pytest", home=True)

    assert person.lost(then, "pytest -q") == [
        f"`pytest` was `{real}` in the baseline and is now `{shim}`"
    ]


@needs_posix
def test_a_program_with_another_content_is_told_of(person: Person) -> None:
    place = person.program("lint")
    then = person.noted("cd src && lint .")
    person.program("lint", "#!/bin/sh\nexit 0\n")

    assert person.lost(then, "cd src && lint .") == [
        f"the program `{place}` differs from the baseline"
    ]


@needs_posix
def test_a_program_that_was_missing_may_be_installed(person: Person) -> None:
    then = person.noted("pytest -q")
    person.program("pytest")

    assert person.lost(then, "pytest -q") == []


@needs_posix
def test_another_search_path_of_the_hook_is_no_change(person: Person) -> None:
    person.program("pytest")
    then = person.noted("pytest -q")
    person.program("pytest", home=True).unlink()
    person.environ["PATH"] = "/usr/bin:/bin"

    assert person.lost(then, "pytest -q") == []


@needs_posix
def test_a_program_that_no_check_comes_to_any_more_is_not_missed(person: Person) -> None:
    person.program("jest")
    package = written(person.project, {"package.json": '{"scripts": {"test": "jest"}}'})
    then = person.noted("npm test")
    written(package, {"package.json": '{"scripts": {"test": "vitest run"}}'})

    assert person.lost(then, "npm test") == []


@needs_posix
def test_the_scripts_of_npm_are_followed(person: Person) -> None:
    package = (
        '{"scripts": {"pretest": "tsc", "test": "vitest run && npm run more", "more": "mocha"}}'
    )
    written(person.project, {"package.json": package, "node_modules/.bin/vitest": ""})
    (person.project / "node_modules/.bin/vitest").chmod(0o755)

    found = {
        each.name: each.place
        for each in find_check_programs(person.project, ["npm test"], {"PATH": ""})
    }

    assert found == {
        "npm": "",
        "tsc": "",
        "vitest": str(person.project / "node_modules/.bin/vitest"),
        "mocha": "",
    }


@pytest.mark.parametrize(
    ("command", "path", "text"),
    [
        ("npm test", ".npmrc", "node-options=--require ./x.cjs\n"),
        ("cargo test", ".cargo/config.toml", '[target."cfg(all())"]\nrunner = "true"\n'),
        ("go test ./...", ".config/go/env", "GOFLAGS=-run=None\n"),
        ("ruff check", ".config/ruff/ruff.toml", 'ignore = ["F"]\n'),
    ],
)
def test_settings_of_the_person_that_steer_a_tool_are_told_of(
    person: Person, command: str, path: str, text: str
) -> None:
    then = person.noted(command)
    written(person.home, {path: text})

    place = person.home / path
    assert person.lost(then, command) == [
        f"`{place}` configures the tools and differs from the baseline"
    ]


@pytest.mark.parametrize(
    ("command", "path", "text"),
    [
        ("npm test", ".npmrc", "registry=https://r.example/\n//r.example/:_authToken=x\n"),
        ("go test ./...", ".config/go/env", "GOPROXY=off\n"),
        ("npm test", ".cargo/config.toml", 'runner = "true"\n'),
    ],
)
def test_settings_that_no_check_depends_on_are_not(
    person: Person, command: str, path: str, text: str
) -> None:
    then = person.noted(command)
    written(person.home, {path: text})

    assert person.lost(then, command) == []


def git(project: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=project, check=True, capture_output=True)


def test_git_settings_count_where_a_check_comes_to_git(person: Person) -> None:
    git(person.project, "init", "-q")
    asks, asks_not = person.noted("git hook run pre-commit"), person.noted("make")
    git(person.project, "config", "core.hooksPath", ".nohooks")
    git(person.project, "config", "user.name", "a")

    assert person.lost(asks, "git hook run pre-commit") == [
        "git's `core.hookspath` was `not set` in the baseline and is now `.nohooks`"
    ]
    assert person.lost(asks_not, "make") == []


def test_what_the_check_itself_tells_git_is_no_change(person: Person) -> None:
    command = (
        "git config --get core.hooksPath >/dev/null"
        " || git config --local core.hooksPath .githooks; git hook run pre-commit"
    )
    git(person.project, "init", "-q")
    then = person.noted(command)
    git(person.project, "config", "core.hooksPath", ".githooks")
    assert person.lost(then, command) == []

    git(person.project, "config", "core.hooksPath", ".nohooks")
    assert person.lost(then, command) == [
        "git's `core.hookspath` was `.githooks` in the baseline and is now `.nohooks`"
    ]


def test_a_check_that_would_tell_git_something_else_than_the_start_did_excuses_nobody(
    person: Person,
) -> None:
    command = "git config core.hooksPath .githooks && git hook run pre-commit"
    git(person.project, "init", "-q")
    git(person.project, "config", "core.hooksPath", ".strict")
    then = person.noted(command)
    git(person.project, "config", "core.hooksPath", ".githooks")

    assert person.lost(then, command) == [
        "git's `core.hookspath` was `.strict` in the baseline and is now `.githooks`"
    ]


def test_a_start_that_noted_nothing_says_nothing(person: Person) -> None:
    written(person.home, {".npmrc": "node-options=x\n"})

    assert person.lost({}, "npm test") == []


@pytest.fixture
def site(person: Person) -> Path:
    """A real environment with one real package in it."""
    venv = person.project / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", venv], check=True)
    (folder,) = venv.glob("lib/python3*/site-packages")
    text = "def same(a, b):\n    assert a == b\n"
    digest = "sha256=" + _urlsafe(text)
    written(
        folder,
        {
            "same.py": text,
            "same-1.dist-info/INSTALLER": "pip\n",
            "same-1.dist-info/RECORD": f"same.py,{digest},{len(text)}\nsame-1.dist-info/RECORD,,\n",
        },
    )
    time.sleep(0.05)
    return folder


def _urlsafe(text: str) -> str:
    import base64
    import hashlib

    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


@needs_posix
def test_an_installed_file_that_was_changed_is_told_of(person: Person, site: Path) -> None:
    then = person.noted(".venv/bin/python -m pytest")
    (site / "same.py").write_text("def same(a, b): ...\n", encoding="utf-8")

    assert person.lost(then, ".venv/bin/python -m pytest") == [
        f"`{site / 'same.py'}` is not what was installed"
    ]


@needs_posix
def test_a_record_written_long_after_the_installer_is_told_of(person: Person, site: Path) -> None:
    then = person.noted(".venv/bin/python -m pytest")
    record = site / "same-1.dist-info" / "RECORD"
    later = time.time() + 3_600
    os.utime(record, (later, later))

    assert person.lost(then, ".venv/bin/python -m pytest") == [
        f"`{record}` is not what was installed"
    ]


@needs_posix
@pytest.mark.parametrize("name", ["sitecustomize.py", "x.pth", "usercustomize/__init__.py"])
def test_what_runs_at_every_start_of_python_is_told_of(
    person: Person, site: Path, name: str
) -> None:
    then = person.noted(".venv/bin/python -m pytest")
    written(site, {name: "import os\n"})

    assert person.lost(then, ".venv/bin/python -m pytest") == [
        f"`{site / name}` runs at every start of Python and differs from the baseline"
    ]


@needs_posix
def test_installing_a_package_is_honest_work(person: Person, site: Path) -> None:
    then = person.noted(".venv/bin/python -m pytest")
    text = "VERSION = 2\n"
    written(
        site,
        {
            "more.py": text,
            "more.pth": "import more\n",
            "more-2.dist-info/INSTALLER": "pip\n",
            "more-2.dist-info/RECORD": (
                f"more.py,sha256={_urlsafe(text)},{len(text)}\n"
                f"more.pth,sha256={_urlsafe('import more')},\n"
            ),
        },
    )

    assert person.lost(then, ".venv/bin/python -m pytest") == []


@needs_posix
def test_what_no_installer_has_recorded_may_come_but_not_change(person: Person, site: Path) -> None:
    written(site, {"near/__init__.py": "def near(a, b):\n    return a == b\n", "far.py": "a = 1\n"})
    then = person.noted(".venv/bin/python -m pytest")
    written(site, {"near/__init__.py": "def near(a, b):\n    return True\n", "new.py": "b = 1\n"})

    assert person.lost(then, ".venv/bin/python -m pytest") == [
        f"`{site / 'near/__init__.py'}` is not what was installed"
    ]


@needs_posix
@pytest.mark.parametrize("installed", [False, True])
def test_a_plugin_that_no_installer_put_there_is_told_of(
    person: Person, site: Path, installed: bool
) -> None:
    then = person.noted(".venv/bin/python -m pytest")
    names = "more-2.dist-info/entry_points.txt"
    written(site, {names: "[pytest11]\nmore = more\n", "more.py": "a = 1\n"})
    if installed:
        written(site, {"more-2.dist-info/RECORD": f"more.py,,\n{names},,\n"})

    told = f"`{site / names}` names plugins, and no installer has put it there"
    assert person.lost(then, ".venv/bin/python -m pytest") == ([] if installed else [told])


@needs_posix
@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("app.py", "app.py"),
        ("*.py", "app.py, pkg/more.py"),
        ("pkg/", "pkg/more.py"),
        ("# app.py", ""),
        (".idea/", ""),
        ("scratch.py", ""),
    ],
)
@pytest.mark.parametrize("place", [".git/info/exclude", "../home/.config/git/ignore"])
def test_files_that_git_is_told_to_pass_by_where_no_commit_shows_it_are_told_of(
    person: Person, pattern: str, told: str, place: str
) -> None:
    written(person.project, {"app.py": "", "pkg/more.py": "", "scratch.py": ""})
    subprocess.run(["git", "init", "-q"], cwd=person.project, check=True)
    subprocess.run(["git", "add", "app.py", "pkg"], cwd=person.project, check=True)
    then = person.noted("ruff check .")
    written(person.project, {place: f"{pattern}\n"})

    name = "info/exclude" if "info" in place else "ignore"
    wanted = [f"git's `{name}` was `not set` in the baseline and is now `{told}`"] if told else []
    assert person.lost(then, "ruff check .") == wanted
