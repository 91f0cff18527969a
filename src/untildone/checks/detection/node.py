"""JavaScript and TypeScript: scripts of `package.json` first, then the tools' own files."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from untildone.checks.detection.candidate import Aspect, Candidate
from untildone.checks.detection.files import named_files
from untildone.checks.detection.manifest import first_existing, read_json, table
from untildone.checks.detection.scripts import harmless, once

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


def candidates(project: Path) -> Iterator[Candidate]:
    package = read_json(project / "package.json") or {}
    scripts = _scripts(package)
    manager = _manager(project, package)
    yield from _build(project, scripts, manager)
    yield from _tests(project, package, scripts, manager)
    if lint := _chosen(_LINT, scripts):
        yield _script("lint", lint, manager)
    else:
        yield from _linters(project, package)


def _scripts(package: dict[str, Any]) -> dict[str, str]:
    return {
        name: script
        for name, script in table(package, "scripts").items()
        if isinstance(script, str) and script.strip() and _PLACEHOLDER not in script
    }


def _chosen(names: tuple[str, ...], scripts: dict[str, str]) -> str:
    return next((name for name in names if name in scripts and harmless(name, scripts)), "")


def _manager(project: Path, package: dict[str, Any]) -> str:
    named = str(package.get("packageManager", "")).partition("@")[0]
    if named in _MANAGERS:
        return named
    return next((name for file, name in _LOCK_FILES.items() if (project / file).is_file()), "npm")


def _build(project: Path, scripts: dict[str, str], manager: str) -> Iterator[Candidate]:
    build = _chosen(("build",), scripts)
    typecheck = _chosen(_TYPECHECK, scripts)
    if build:
        yield _script("build", build, manager)
    if typecheck:
        yield _script("build", typecheck, manager, tool="typecheck")
    elif not build and (project / "tsconfig.json").is_file():
        yield _program("build", "tsc --noEmit", "`tsc` is configured in `tsconfig.json`")


def _tests(
    project: Path, package: dict[str, Any], scripts: dict[str, str], manager: str
) -> Iterator[Candidate]:
    if script := _chosen(_TEST, scripts):
        yield _script("test", script, manager)
    elif command := once(scripts.get("test", "")):
        yield _program("test", command, "`package.json` has a script `test`, which would watch")
    elif "test" in scripts:
        # Its author has a runner; which of its commands ends by itself only they know.
        return
    elif runner := _dependency(package):
        yield _program("test", _RUNNERS[runner], f"`package.json` names `{runner}`")
    elif manager == "bun" and (found := next(named_files(project, _BUN_FILES), "")):
        yield _test_file("bun", "bun test", found)
    elif found := next(named_files(project, _TEST_FILES), ""):
        yield _test_file("node", "node --test", found)


def _dependency(package: dict[str, Any]) -> str:
    named = table(package, "dependencies") | table(package, "devDependencies")
    return next((runner for runner in _RUNNERS if runner in named), "")


def _test_file(tool: str, command: str, found: str) -> Candidate:
    return Candidate(aspect="test", tool=tool, command=command, reason=f"`{found}` is a test file")


def _script(aspect: Aspect, script: str, manager: str, *, tool: str = "") -> Candidate:
    # `bun test` is bun's own runner, not the script.
    short = script == "test" and manager != "bun"
    return Candidate(
        aspect=aspect,
        tool=tool or manager,
        command=f"{manager} {script}" if short else f"{manager} run {script}",
        reason=f"`package.json` has a script `{script}`",
    )


def _program(aspect: Aspect, command: str, reason: str) -> Candidate:
    return Candidate(
        aspect=aspect,
        tool=command.partition(" ")[0],
        command=f"npx {command}",
        reason=reason,
        env=_INSTALLED_ONLY,
    )


def _linters(project: Path, package: dict[str, Any]) -> Iterator[Candidate]:
    for tool, command, patterns, key in _LINTERS:
        file = first_existing(project, *patterns)
        if not file and key and key in package:
            file = "package.json"
        if file:
            yield _program("lint", command, f"`{tool}` is configured in `{file}`")
