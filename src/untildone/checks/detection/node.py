"""JavaScript and TypeScript: scripts of `package.json` first, then the tools' own files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from untildone.checks.detection.candidate import Aspect, Candidate, take_until_usable
from untildone.checks.detection.files import find_named
from untildone.checks.detection.manifest import find_first, get_table, read_json
from untildone.checks.detection.scripts import find_harm, make_single_run
from untildone.checks.detection.workspaces import make_workspace_command, read_member_scripts

_LOCK_FILES = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "package-lock.json": "npm",
}
_MANAGERS = ("npm", "pnpm", "yarn", "bun")
_TYPECHECK = ("typecheck", "type-check", "check-types", "check:types")
# The second and later ones are asked where the first watches for ever or changes files.
_TEST = ("test", "test:run", "test:ci", "test:once", "test:unit")
_LINT = ("lint", "lint:check", "lint:ci")
# npm puts this where no test was written yet.
_PLACEHOLDER = "no test specified"
_LINTERS = (
    ("eslint", "eslint . --max-warnings=0", (".eslintrc*", "eslint.config.*"), "eslintConfig"),
    ("prettier", "prettier --check .", (".prettierrc*", "prettier.config.*"), "prettier"),
    ("biome", "biome check .", ("biome.json", "biome.jsonc"), ""),
)
_RUNNERS = {"vitest": "vitest run", "jest": "jest", "mocha": "mocha"}
_TEST_FILES = (".test.js", ".test.mjs", ".test.cjs")
_BUN_FILES = (*_TEST_FILES, ".test.ts", ".test.tsx", ".test.jsx", "_test.ts", ".spec.ts")
# npx would fetch a program that is not installed, and under the name `tsc` it is another one.
_INSTALLED_ONLY = {"npm_config_yes": "false"}


class _Package(Struct, frozen=True, kw_only=True):
    """The top, and the scripts of the packages below it by their folders."""

    project: Path
    fields: dict[str, Any]
    scripts: dict[str, str]
    members: dict[str, dict[str, str]]
    manager: str


def candidates(project: Path) -> Iterator[Candidate]:
    fields = read_json(project / "package.json") or {}
    package = _Package(
        project=project,
        fields=fields,
        scripts=_written(get_table(fields, "scripts")),
        members={
            place: _written(every) for place, every in read_member_scripts(project, fields).items()
        },
        manager=_manager(project, fields),
    )
    yield from _build(package)
    yield from _tests(package)
    lint = _scripted("lint", _LINT, package)
    yield from lint
    if not _usable(lint):
        yield from _linters(package)


def _written(scripts: dict[str, Any]) -> dict[str, str]:
    return {
        name: script
        for name, script in scripts.items()
        if isinstance(script, str) and script.strip() and _PLACEHOLDER not in script
    }


def _scripted(
    aspect: Aspect, names: tuple[str, ...], package: _Package, *, tool: str = ""
) -> tuple[Candidate, ...]:
    """The scripts of these names, up to the first that may be run."""
    own = [name for name in names if name in package.scripts]
    found = (
        [_own(name, aspect, package) for name in own]
        if own
        else [each for name in names for each in _of_members(name, aspect, package)]
    )
    return tuple(take_until_usable(replace(each, tool=tool or package.manager) for each in found))


def _own(name: str, aspect: Aspect, package: _Package) -> Candidate:
    manager = package.manager
    # `bun test` is bun's own runner, not the script.
    short = name == "test" and manager != "bun"
    return Candidate(
        aspect=aspect,
        tool=manager,
        command=f"{manager} test" if short else f"{manager} run {name}",
        reason=f"`package.json` has a script `{name}`",
        harm=find_harm(name, package.scripts),
    )


def _of_members(name: str, aspect: Aspect, package: _Package) -> Iterator[Candidate]:
    having = {place: each for place, each in package.members.items() if name in each}
    missing = len(having) < len(package.members)
    command = make_workspace_command(
        package.project, name, manager=package.manager, missing=missing
    )
    if having and command:
        harms = filter(None, (find_harm(name, scripts) for scripts in having.values()))
        yield Candidate(
            aspect=aspect,
            tool=package.manager,
            command=command,
            reason=f"`{next(iter(having))}/package.json` has a script `{name}`",
            harm=next(harms, ""),
        )


def _usable(entries: tuple[Candidate, ...]) -> bool:
    return any(not entry.harm for entry in entries)


def _manager(project: Path, package: dict[str, Any]) -> str:
    named = str(package.get("packageManager", "")).partition("@")[0]
    if named in _MANAGERS:
        return named
    return next((name for file, name in _LOCK_FILES.items() if (project / file).is_file()), "npm")


def _build(package: _Package) -> Iterator[Candidate]:
    named = (
        *_scripted("build", ("build",), package),
        *_scripted("build", _TYPECHECK, package, tool="typecheck"),
    )
    yield from named
    if not _usable(named) and (package.project / "tsconfig.json").is_file():
        yield _program("build", "tsc --noEmit", "`tsc` is configured in `tsconfig.json`")


def _tests(package: _Package) -> Iterator[Candidate]:
    named = _scripted("test", _TEST, package)
    yield from named
    if _usable(named):
        return
    project, scripts = package.project, package.scripts
    if command := make_single_run(scripts.get("test", "")):
        yield _program("test", command, "`package.json` has a script `test`, which would watch")
    elif named:
        # Its author has a runner; which of its commands ends by itself only they know.
        return
    elif runner := _dependency(package.fields):
        yield _program("test", _RUNNERS[runner], f"`package.json` names `{runner}`")
    elif package.manager == "bun" and (found := next(find_named(project, _BUN_FILES), "")):
        yield _test_file("bun", "bun test", found)
    elif found := next(find_named(project, _TEST_FILES), ""):
        yield _test_file("node", "node --test", found)


def _dependency(fields: dict[str, Any]) -> str:
    named = get_table(fields, "dependencies") | get_table(fields, "devDependencies")
    return next((runner for runner in _RUNNERS if runner in named), "")


def _test_file(tool: str, command: str, found: str) -> Candidate:
    return Candidate(aspect="test", tool=tool, command=command, reason=f"`{found}` is a test file")


def _program(aspect: Aspect, command: str, reason: str) -> Candidate:
    return Candidate(
        aspect=aspect,
        tool=command.partition(" ")[0],
        command=f"npx {command}",
        reason=reason,
        env=_INSTALLED_ONLY,
    )


def _linters(package: _Package) -> Iterator[Candidate]:
    for tool, command, patterns, key in _LINTERS:
        file = find_first(package.project, *patterns)
        if not file and key and key in package.fields:
            file = "package.json"
        if file:
            yield _program("lint", command, f"`{tool}` is configured in `{file}`")
