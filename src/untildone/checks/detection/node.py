"""JavaScript and TypeScript: scripts of `package.json`, else the configured tools."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from untildone.checks.detection import project_files
from untildone.checks.detection.candidate import Aspect, Candidate, take_until_usable
from untildone.checks.detection.script_harm import find_harm, make_single_run
from untildone.checks.detection.workspaces import make_workspace_command, read_member_scripts
from untildone.commands.checking_form import make_checking_form
from untildone.commands.programs import PACKAGE_MANAGERS

_LOCK_FILES = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "package-lock.json": "npm",
}
_TYPECHECK = ("typecheck", "type-check", "check-types", "check:types")
# Later names are used if the scripts before them watch forever or change files.
_TEST = ("test", "test:run", "test:ci", "test:once", "test:unit")
_LINT = ("lint", "lint:check", "lint:ci")
# The test script that `npm init` writes.
_PLACEHOLDER = "no test specified"
_LINTERS = (
    ("eslint", "eslint . --max-warnings=0", (".eslintrc*", "eslint.config.*"), "eslintConfig"),
    ("prettier", "prettier --check .", (".prettierrc*", "prettier.config.*"), "prettier"),
    ("biome", "biome check .", ("biome.json", "biome.jsonc"), ""),
)
_RUNNERS = {"vitest": "vitest run", "jest": "jest", "mocha": "mocha"}
_TEST_FILES = (".test.js", ".test.mjs", ".test.cjs")
_BUN_FILES = (*_TEST_FILES, ".test.ts", ".test.tsx", ".test.jsx", "_test.ts", ".spec.ts")
# npx would download a missing program, and the package `tsc` is not TypeScript.
_INSTALLED_ONLY = {"npm_config_yes": "false"}


class _Package(Struct, frozen=True, kw_only=True):
    """A package, and the scripts of its workspace members by folder."""

    project: Path
    fields: dict[str, Any]
    scripts: dict[str, str]
    members: dict[str, dict[str, str]]
    manager: str


def find_candidates(project: Path) -> Iterator[Candidate]:
    fields = project_files.read_json(project / "package.json") or {}
    package = _Package(
        project=project,
        fields=fields,
        scripts=_select_scripts(project_files.get_table(fields, "scripts")),
        members={
            folder: _select_scripts(scripts)
            for folder, scripts in read_member_scripts(project, fields).items()
        },
        manager=_find_manager(project, fields),
    )
    yield from _find_builds(package)
    yield from _find_tests(package)
    lint = _find_scripts("lint", _LINT, package)
    linters = () if _has_usable(lint) else tuple(_find_linters(package))
    if not _has_usable(lint) and not linters:
        lint = tuple(_accept_in_checking_form(candidate, package) for candidate in lint)
    yield from (*lint, *linters)


def _select_scripts(scripts: dict[str, Any]) -> dict[str, str]:
    return {
        name: script
        for name, script in scripts.items()
        if isinstance(script, str) and script.strip() and _PLACEHOLDER not in script
    }


def _find_scripts(
    aspect: Aspect, names: tuple[str, ...], package: _Package, *, tool: str = ""
) -> tuple[Candidate, ...]:
    """Return the scripts of these names, up to the first one without harm."""
    own_names = filter(package.scripts.__contains__, names)
    found = [_make_script_candidate(name, aspect, package) for name in own_names]
    if not found:
        found = [entry for name in names for entry in _find_member_scripts(name, aspect, package)]
    tool = tool or package.manager
    return tuple(take_until_usable(replace(candidate, tool=tool) for candidate in found))


def _make_script_candidate(name: str, aspect: Aspect, package: _Package) -> Candidate:
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


def _find_member_scripts(name: str, aspect: Aspect, package: _Package) -> Iterator[Candidate]:
    members = {folder: scripts for folder, scripts in package.members.items() if name in scripts}
    missing = len(members) < len(package.members)
    command = make_workspace_command(
        package.project, name, manager=package.manager, missing=missing
    )
    if members and command:
        harms = filter(None, (find_harm(name, scripts) for scripts in members.values()))
        yield Candidate(
            aspect=aspect,
            tool=package.manager,
            command=command,
            reason=f"`{next(iter(members))}/package.json` has a script `{name}`",
            harm=next(harms, ""),
        )


def _accept_in_checking_form(candidate: Candidate, package: _Package) -> Candidate:
    """Return a script that would edit as usable if it has a form that only checks: it runs so."""
    form = make_checking_form(candidate.command, package.scripts)
    if form == candidate.command or find_harm("form", {"form": form}):
        return candidate
    return replace(candidate, harm="", reason=f"{candidate.reason}, which runs as `{form}`")


def _has_usable(entries: tuple[Candidate, ...]) -> bool:
    return any(not entry.harm for entry in entries)


def _find_manager(project: Path, package: dict[str, Any]) -> str:
    name = str(package.get("packageManager", "")).partition("@")[0]
    if name in PACKAGE_MANAGERS:
        return name
    return next((name for file, name in _LOCK_FILES.items() if (project / file).is_file()), "npm")


def _find_builds(package: _Package) -> Iterator[Candidate]:
    scripts = (
        *_find_scripts("build", ("build",), package),
        *_find_scripts("build", _TYPECHECK, package, tool="typecheck"),
    )
    yield from scripts
    if not _has_usable(scripts) and (package.project / "tsconfig.json").is_file():
        yield _make_npx("build", "tsc --noEmit", "`tsc` is configured in `tsconfig.json`")


def _find_tests(package: _Package) -> Iterator[Candidate]:
    scripts = _find_scripts("test", _TEST, package)
    yield from scripts
    if _has_usable(scripts):
        return
    project, fields = package.project, package.fields
    installed = project_files.get_table(fields, "dependencies") | project_files.get_table(
        fields, "devDependencies"
    )
    runner = next((name for name in _RUNNERS if name in installed), "")
    if command := make_single_run(package.scripts.get("test", "")):
        yield _make_npx("test", command, "`package.json` has a script `test`, which would watch")
    elif scripts:
        # There is a test script that never ends; we cannot know a variant that does.
        return
    elif runner:
        yield _make_npx("test", _RUNNERS[runner], f"`package.json` names `{runner}`")
    elif package.manager == "bun" and (
        found := next(project_files.find_files_by_ending(project, _BUN_FILES), "")
    ):
        yield _make_for_test_file("bun", "bun test", found)
    elif found := next(project_files.find_files_by_ending(project, _TEST_FILES), ""):
        yield _make_for_test_file("node", "node --test", found)


def _make_for_test_file(tool: str, command: str, found: str) -> Candidate:
    return Candidate(aspect="test", tool=tool, command=command, reason=f"`{found}` is a test file")


def _make_npx(aspect: Aspect, command: str, reason: str) -> Candidate:
    return Candidate(
        aspect=aspect,
        tool=command.partition(" ")[0],
        command=f"npx {command}",
        reason=reason,
        env=_INSTALLED_ONLY,
    )


def _find_linters(package: _Package) -> Iterator[Candidate]:
    for tool, command, patterns, key in _LINTERS:
        file = project_files.find_first(package.project, *patterns)
        if not file and key and key in package.fields:
            file = "package.json"
        if file:
            yield _make_npx("lint", command, f"`{tool}` is configured in `{file}`")
