"""Which package may import which: inward only, a pure core, a lean hook path."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import untildone

ROOT = Path(untildone.__file__).parent
# A package imports packages of its own level and of lower ones, never in a circle.
LEVELS = {
    "__main__": 6,
    "cli": 6,
    "hooks": 6,
    "web": 5,
    "runs": 5,
    "install": 5,
    "app": 5,
    "features": 4,
    "engine": 3,
    "checks": 2,
    "integrity": 2,
    "agents": 2,
    "report": 2,
    "receipts": 2,
    "config": 2,
    "commands": 1,
    "syntax": 1,
    "sandbox": 1,
    "store": 1,
    "process": 1,
    "worktree": 1,
    "core": 0,
    "json_edit": 0,
    "errors": 0,
    "extras": 0,
    "words": 0,
    "check_lineage": 0,
    "__init__": 0,
}
IMPURE = frozenset(
    (
        *("asyncio", "builtins", "datetime", "io", "logging", "multiprocessing", "os", "pathlib"),
        *("random", "secrets", "shutil", "signal", "socket", "subprocess", "sys", "tempfile"),
        *("threading", "time", "urllib", "uuid"),
    )
)
LEAN = (
    "__init__.py",
    "hooks/*.py",
    "agents/__init__.py",
    "agents/*/__init__.py",
    "agents/*/hooks.py",
    "agents/tool_words.py",
    "commands/__init__.py",
    "commands/agent_calls.py",
    "commands/shell.py",
    "commands/written_files.py",
    "engine/__init__.py",
    "engine/payload.py",
    "features/__init__.py",
    "features/edits/__init__.py",
    "features/edits/switch.py",
    "features/importers/__init__.py",
    "features/importers/trusted_projects.py",
    "install/__init__.py",
    "install/own_entries.py",
    "check_lineage.py",
    "report/__init__.py",
    "report/durations.py",
    "report/running_checks.py",
    "store/__init__.py",
    "store/sessions.py",
)
# Each costs a multiple of the interpreter's own start.
HEAVY = frozenset(
    (
        *("argparse", "ast", "asyncio", "concurrent", "dataclasses", "datetime", "decimal"),
        *("hashlib", "inspect", "logging", "multiprocessing", "pathlib", "random", "shutil"),
        *("socket", "subprocess", "tempfile", "threading", "tomllib", "typing", "unittest", "uuid"),
    )
)


class Imported(NamedTuple):
    file: Path
    name: str
    # Inside a function: paid only when that function runs.
    deferred: bool

    @property
    def importer(self) -> str:
        inner = self.file.relative_to(ROOT)
        return inner.parts[0] if len(inner.parts) > 1 else inner.stem

    @property
    def module(self) -> str:
        parts = self.file.relative_to(ROOT.parent).with_suffix("").parts
        return ".".join(part for part in parts if part != "__init__")

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)} imports {self.name}"


@cache
def imports(file: Path) -> tuple[Imported, ...]:
    return tuple(_imports(file))


def _imports(file: Path) -> Iterator[Imported]:
    tree = ast.parse(file.read_text(encoding="utf-8"))
    inner = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        for name in _names(node):
            yield Imported(file, name, id(node) in inner)


def _names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        assert node.level == 0, "imports are absolute"
        return [_module(node.module or "", alias.name) for alias in node.names]
    return []


def _module(module: str, name: str) -> str:
    """`from untildone.engine import verbs` names a module; else what is in one."""
    inner = ROOT.parent.joinpath(*module.split("."), name)
    return f"{module}.{name}" if inner.with_suffix(".py").exists() or inner.is_dir() else module


def everything(*patterns: str) -> list[Imported]:
    files = sorted({file for pattern in patterns or ("**/*.py",) for file in ROOT.glob(pattern)})
    assert files
    return [imported for file in files for imported in imports(file)]


def is_ours(imported: Imported) -> bool:
    return imported.name.partition(".")[0] == "untildone"


def package(name: str) -> str:
    return name.partition(".")[2].partition(".")[0] or "__init__"


def is_allowed(imported: Imported) -> bool:
    return LEVELS[package(imported.name)] <= LEVELS[imported.importer]


def circles(edges: dict[str, set[str]]) -> list[str]:
    """Names that lead back to themselves."""
    left = {name: set(targets) for name, targets in edges.items()}
    while True:
        ends = {name for name, targets in left.items() if not targets & left.keys()}
        if not ends:
            return sorted(left)
        left = {name: targets for name, targets in left.items() if name not in ends}


def test_every_package_has_a_level() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    alone = {path.stem for path in ROOT.glob("*.py")}

    assert packages | alone == set(LEVELS)


def test_imports_point_inward() -> None:
    wrong = [str(found) for found in everything() if is_ours(found) and not is_allowed(found)]

    assert wrong == []


def test_packages_form_no_circle() -> None:
    edges: dict[str, set[str]] = {}
    for found in everything():
        target = package(found.name)
        if is_ours(found) and target != found.importer:
            edges.setdefault(found.importer, set()).add(target)

    assert circles(edges) == []


def test_modules_form_no_circle() -> None:
    edges: dict[str, set[str]] = {}
    for found in everything():
        if is_ours(found) and found.name != found.module:
            edges.setdefault(found.module, set()).add(found.name)

    assert circles(edges) == []


@pytest.mark.parametrize(
    ("folder", "others"),
    [("plan", ("queue",)), ("queue", ("plan",)), ("tasks", ("plan", "queue"))],
)
def test_plan_runs_and_the_queue_know_only_what_they_share(
    folder: str, others: tuple[str, ...]
) -> None:
    foreign = tuple(f"untildone.runs.{name}" for name in others)
    found = everything(f"runs/{folder}/*.py")

    assert [str(each) for each in found if each.name.startswith(foreign)] == []


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        pytest.param({"a": {"b"}, "b": {"c"}}, [], id="a line"),
        pytest.param({"a": {"b"}, "b": {"a"}}, ["a", "b"], id="two"),
        pytest.param({"a": {"b"}, "b": {"c"}, "c": {"b"}}, ["a", "b", "c"], id="behind another"),
    ],
)
def test_a_circle_is_seen(edges: dict[str, set[str]], expected: list[str]) -> None:
    assert circles(edges) == expected


@pytest.mark.parametrize(
    ("file", "name", "expected"),
    [
        ("core/decide.py", "untildone.store.loops", False),
        ("core/decide.py", "untildone.core.evidence", True),
        ("store/loops.py", "untildone.engine.verbs", False),
        ("store/loops.py", "untildone.checks.parallel_run", False),
        ("store/loops.py", "untildone.errors", True),
        ("engine/stop.py", "untildone.hooks.entry", False),
        ("engine/stop.py", "untildone.cli.main", False),
        ("report/notices.py", "untildone.engine.context", False),
        ("install/client_files.py", "untildone.hooks.entry", False),
        ("cli/main.py", "untildone.core.evidence", True),
    ],
)
def test_the_rule_itself(file: str, name: str, expected: bool) -> None:
    assert is_allowed(Imported(ROOT / file, name, deferred=False)) is expected


def test_the_core_knows_nobody_and_touches_nothing() -> None:
    found = everything("core/**/*.py")

    foreign = [
        each for each in found if is_ours(each) and not each.name.startswith("untildone.core")
    ]
    assert [str(each) for each in foreign] == []
    assert [str(each) for each in found if each.name.partition(".")[0] in IMPURE] == []
    assert [str(each) for each in found if each.deferred] == []


def test_the_core_opens_and_prints_nothing() -> None:
    calls = [
        f"{file.name}:{node.lineno} calls {node.func.id}"
        for file in ROOT.glob("core/**/*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id in ("open", "print", "input", "exec", "eval", "__import__")
    ]

    assert calls == []


def test_adapters_only_translate() -> None:
    found = everything(
        *("agents/**/*.py", "checks/parsers/*.py", "features/importers/formats/*.py"),
        *("features/importers/fields.py", "features/importers/file_parsing.py"),
        *("features/markdown.py", "features/spec/rubric.py"),
    )

    assert [str(each) for each in found if each.name.partition(".")[0] in IMPURE] == []


def test_programs_are_started_in_one_place() -> None:
    doors = {
        str(each.file.relative_to(ROOT))
        for each in everything()
        if each.name.partition(".")[0]
        in ("subprocess", "_posixsubprocess", "pty", "multiprocessing")
    }

    assert doors == {"process/trees.py"}


def starts_git(node: ast.AST) -> bool:
    """A command line that begins with git, as words, as text, or by looking for the program."""
    match node:
        case ast.List(elts=[ast.Constant(value="git"), *_]):
            return True
        case ast.Tuple(elts=[ast.Constant(value="git"), *_], ctx=ast.Load()):
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[first, *_]):
            said = first.value if isinstance(first, ast.Constant) else ""
            program = str(said).partition(" ")[0]
            return name in ("argv_of", "run", "start_detached", "which") and program == "git"
        case _:
            return False


def test_git_is_started_in_one_place() -> None:
    """Elsewhere the programs that a repository names would not be switched off."""
    found = [
        f"{file.relative_to(ROOT)}:{node.lineno}"
        for file in ROOT.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if starts_git(node) and isinstance(node, ast.expr)
    ]

    assert found == []


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('run(["git", *words], cwd=cwd)', True),
        ('_GIT = ("git", "-c", "a=b")', True),
        ('run(argv_of("git status"))', True),
        ('shutil.which("git")', True),
        ('_WORDS = ("cargo", "git")', False),
        ('run_git(("status",), cwd=cwd)', False),
    ],
)
def test_how_a_start_of_git_is_known(code: str, expected: bool) -> None:
    assert any(map(starts_git, ast.walk(ast.parse(code)))) is expected


def lean_modules() -> set[str]:
    files = {file for pattern in LEAN for file in ROOT.glob(pattern)}
    parts = [file.relative_to(ROOT.parent).with_suffix("").parts for file in files]
    return {".".join(part for part in name if part != "__init__") for name in parts}


def test_the_lean_path_imports_the_standard_library_and_itself() -> None:
    known = lean_modules()
    found = [each for each in everything(*LEAN) if not each.deferred]

    foreign = [str(each) for each in found if is_ours(each) and each.name not in known]
    installed = [
        str(each)
        for each in found
        if not is_ours(each) and each.name.partition(".")[0] not in sys.stdlib_module_names
    ]
    heavy = [str(each) for each in found if each.name.partition(".")[0] in HEAVY]
    assert (foreign, installed, heavy) == ([], [], [])


def test_the_lean_path_hands_over_in_one_place() -> None:
    found = [each for each in everything(*LEAN) if each.deferred and is_ours(each)]

    assert [str(each) for each in found if each.name not in lean_modules()] == [
        "hooks/entry.py imports untildone.app"
    ]


def test_no_module_has_a_vague_name() -> None:
    empty = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"}

    assert not {path.stem for path in ROOT.rglob("*.py")} & empty
