"""JavaScript and TypeScript: scripts of `package.json` first, then the tools' own files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from untildone.checks.detection.candidate import Aspect, Candidate
from untildone.checks.detection.files import named_files
from untildone.checks.detection.manifest import first_existing, read_json, table

_LOCK_FILES = {
    "pnpm-lock.yaml": "pnpm",
    "yarn.lock": "yarn",
    "bun.lock": "bun",
    "bun.lockb": "bun",
    "package-lock.json": "npm",
}
_MANAGERS = ("npm", "pnpm", "yarn", "bun")
_TYPECHECK = ("typecheck", "type-check", "check-types", "check:types")
# npm puts this where no test was written yet.
_PLACEHOLDER = "no test specified"
_LINTERS = (
    ("eslint", "npx eslint . --max-warnings=0", (".eslintrc*", "eslint.config.*"), "eslintConfig"),
    ("prettier", "npx prettier --check .", (".prettierrc*", "prettier.config.*"), "prettier"),
    ("biome", "npx biome check .", ("biome.json", "biome.jsonc"), ""),
)
_TEST_FILES = (".test.js", ".test.mjs", ".test.cjs")


def candidates(project: Path) -> Iterator[Candidate]:
    package = read_json(project / "package.json") or {}
    scripts = _scripts(package)
    manager = _manager(project, package)
    yield from _build(project, scripts, manager)
    if "test" in scripts:
        yield _script("test", "test", manager)
    elif found := next(named_files(project, _TEST_FILES), ""):
        yield Candidate(
            aspect="test", tool="node", command="node --test", reason=f"`{found}` is a test file"
        )
    if "lint" in scripts:
        yield _script("lint", "lint", manager)
    else:
        yield from _linters(project, package)


def _scripts(package: dict[str, Any]) -> dict[str, str]:
    return {
        name: script
        for name, script in table(package, "scripts").items()
        if isinstance(script, str) and script.strip() and _PLACEHOLDER not in script
    }


def _manager(project: Path, package: dict[str, Any]) -> str:
    named = str(package.get("packageManager", "")).partition("@")[0]
    if named in _MANAGERS:
        return named
    return next((name for file, name in _LOCK_FILES.items() if (project / file).is_file()), "npm")


def _build(project: Path, scripts: dict[str, str], manager: str) -> Iterator[Candidate]:
    typecheck = next((name for name in _TYPECHECK if name in scripts), "")
    if "build" in scripts:
        yield _script("build", "build", manager)
    if typecheck:
        yield _script("build", typecheck, manager, tool="typecheck")
    elif "build" not in scripts and (project / "tsconfig.json").is_file():
        yield Candidate(
            aspect="build",
            tool="tsc",
            command="npx tsc --noEmit",
            reason="`tsc` is configured in `tsconfig.json`",
        )


def _script(aspect: Aspect, script: str, manager: str, *, tool: str = "") -> Candidate:
    # `bun test` is bun's own runner, not the script.
    short = script == "test" and manager != "bun"
    return Candidate(
        aspect=aspect,
        tool=tool or manager,
        command=f"{manager} {script}" if short else f"{manager} run {script}",
        reason=f"`package.json` has a script `{script}`",
    )


def _linters(project: Path, package: dict[str, Any]) -> Iterator[Candidate]:
    for tool, command, patterns, key in _LINTERS:
        file = first_existing(project, *patterns)
        if not file and key and key in package:
            file = "package.json"
        if file:
            yield Candidate(
                aspect="lint",
                tool=tool,
                command=command,
                reason=f"`{tool}` is configured in `{file}`",
            )
