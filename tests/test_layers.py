"""Who may import whom: rooms point inward, the core knows nobody, the hook path stays lean."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import untildone

ROOT = Path(untildone.__file__).parent
# A room may import rooms with a smaller number; `loop` is the core.
LEVELS = {
    "cli": 3,
    "hook": 3,
    "judge": 2,
    "runs": 2,
    "install": 2,
    "config": 1,
    "checks": 1,
    "integrity": 1,
    "agents": 1,
    "store": 1,
    "plans": 1,
    "dialects": 1,
    "report": 1,
    "loop": 0,
}
# What stands beside the rooms, which every room but the core may use.
GROUND = {
    "__init__": frozenset[str](),
    "__main__": frozenset(("untildone.cli",)),
    "errors": frozenset[str](),
    "process": frozenset(("untildone.process",)),
}
# The other edges: who, what, and why it is right all the same.
EXCEPTIONS = {
    ("cli", "untildone.hook.entry"): "`untildone hook` is the installed command by another door",
    ("judge", "untildone.hook.payload"): "the lean entry hands over the event as it arrived",
    ("runs", "untildone.judge"): "runs drive the one pipeline instead of having their own",
    ("config", "untildone.checks"): "what a check may name, and which files are the project's",
    ("plans", "untildone.store"): "a plan is written whole and by one at a time, as our files are",
    ("dialects", "untildone.plans.model"): "another tool's tasks are read into tasks of ours",
    ("report", "untildone.store.loops"): "a report shows a loop as it was read, the `Record`",
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
    "hook/*.py",
    "integrity/__init__.py",
    "integrity/entries.py",
    "integrity/guard.py",
    "integrity/shell.py",
    "store/__init__.py",
    "store/dialects.py",
    "store/edits.py",
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

    def __str__(self) -> str:
        return f"{self.file.relative_to(ROOT)} imports {self.name}"


def imports(file: Path) -> Iterator[Imported]:
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
    """`from untildone.judge import verbs` names a module, `from … import decide` what is in one."""
    inner = ROOT.parent.joinpath(*module.split("."), name)
    return f"{module}.{name}" if inner.with_suffix(".py").exists() or inner.is_dir() else module


def everything(*patterns: str) -> list[Imported]:
    files = sorted({file for pattern in patterns or ("**/*.py",) for file in ROOT.glob(pattern)})
    assert files
    return [imported for file in files for imported in imports(file)]


def ours(imported: Imported) -> bool:
    return imported.name.partition(".")[0] == "untildone"


def excepted(imported: Imported) -> bool:
    return any(
        imported.importer == importer and f"{imported.name}.".startswith(f"{allowed}.")
        for importer, allowed in EXCEPTIONS
    )


def allowed(imported: Imported) -> bool:
    importer = imported.importer
    room = imported.name.partition(".")[2].partition(".")[0]
    if importer == room or excepted(imported):
        return True
    if importer in GROUND:
        return any(f"{imported.name}.".startswith(f"{name}.") for name in GROUND[importer])
    if room in LEVELS:
        return LEVELS[room] < LEVELS[importer]
    return importer != "loop"


def test_every_room_has_its_place() -> None:
    rooms = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    alone = {path.stem for path in ROOT.glob("*.py")}

    assert rooms | alone <= set(LEVELS) | set(GROUND)


def test_imports_point_inward() -> None:
    wrong = [str(found) for found in everything() if ours(found) and not allowed(found)]

    assert wrong == []


@pytest.mark.parametrize(
    ("file", "name", "expected"),
    [
        ("loop/decide.py", "untildone.store.loops", False),
        ("loop/decide.py", "untildone.errors", False),
        ("loop/decide.py", "untildone.loop.model", True),
        ("store/loops.py", "untildone.judge.verbs", False),
        ("store/loops.py", "untildone.checks.tree", False),
        ("store/loops.py", "untildone.errors", True),
        ("judge/stop.py", "untildone.hook.entry", False),
        ("judge/stop.py", "untildone.hook.payload", True),
        ("judge/stop.py", "untildone.cli.main", False),
        ("report/lines.py", "untildone.store.files", False),
        ("install/claude.py", "untildone.judge.context", False),
        ("errors.py", "untildone.loop.model", False),
        ("cli/main.py", "untildone.loop.model", True),
    ],
)
def test_the_rule_itself(file: str, name: str, expected: bool) -> None:
    assert allowed(Imported(ROOT / file, name, deferred=False)) is expected


@pytest.mark.parametrize(("importer", "name"), EXCEPTIONS)
def test_each_exception_is_needed(importer: str, name: str) -> None:
    used = [
        found
        for found in everything()
        if found.importer == importer and f"{found.name}.".startswith(f"{name}.")
    ]

    assert used


def test_the_core_knows_nobody_and_touches_nothing() -> None:
    found = everything("loop/**/*.py")

    foreign = [each for each in found if ours(each) and not each.name.startswith("untildone.loop")]
    assert [str(each) for each in foreign] == []
    assert [str(each) for each in found if each.name.partition(".")[0] in IMPURE] == []
    assert [str(each) for each in found if each.deferred] == []


def test_the_core_opens_and_prints_nothing() -> None:
    calls = [
        f"{file.name}:{node.lineno} calls {node.func.id}"
        for file in ROOT.glob("loop/**/*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id in ("open", "print", "input", "exec", "eval", "__import__")
    ]

    assert calls == []


def test_adapters_only_translate() -> None:
    found = everything("agents/*.py", "checks/parsers/*.py", "dialects/*.py")

    assert [str(each) for each in found if each.name.partition(".")[0] in IMPURE] == []


def test_programs_are_started_in_one_place() -> None:
    doors = {
        str(each.file.relative_to(ROOT))
        for each in everything()
        if each.name.partition(".")[0]
        in ("subprocess", "_posixsubprocess", "pty", "multiprocessing")
    }

    assert doors == {"process/__init__.py"}


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

    foreign = [str(each) for each in found if ours(each) and each.name not in known]
    installed = [
        str(each)
        for each in found
        if not ours(each) and each.name.partition(".")[0] not in sys.stdlib_module_names
    ]
    heavy = [str(each) for each in found if each.name.partition(".")[0] in HEAVY]
    assert (foreign, installed, heavy) == ([], [], [])


def test_the_lean_path_hands_over_in_one_place() -> None:
    found = [each for each in everything(*LEAN) if each.deferred and ours(each)]

    assert [str(each) for each in found if each.name not in lean_modules()] == [
        "hook/entry.py imports untildone.judge.events"
    ]


def test_no_room_is_named_after_nothing() -> None:
    empty = {"utils", "util", "helpers", "helper", "common", "base", "manager", "misc"}

    assert not {path.stem for path in ROOT.rglob("*.py")} & empty
