"""What a file is for, by its name and place: only product code is the agent's to change freely."""

import re
from typing import Literal, TypeAlias

from untildone.core.late_patterns import compile_late
from untildone.words import words

Role: TypeAlias = Literal["test", "config", "script", "product", "document"]

_TEST_FOLDERS = words(
    "test tests __tests__ spec specs testing e2e it testdata test-data test_data fixtures"
    " __fixtures__ __snapshots__ __mocks__ golden goldens snapshots cypress playwright"
)
_TEST_FILE = compile_late(
    r"""
      test_[^/]*\.pyi? | [^/]*_tests?\.(py|go|rs|rb|exs|c|cc|cpp|dart) | conftest\.py
    | [^/]*[.\-_](test|spec|e2e|cy)\.[cm]?[jt]sx? | [^/]*\.test-d\.ts | tests?\.(py|rs|[cm]?[jt]sx?)
    | [^/]*(Test|Tests|IT|Spec)\.(java|kt|groovy|scala|cs|swift|php) | test[A-Z][^/]*\.(java|c)
    | [^/]*\.snap | [^/]*\.feature | [^/]*\.golden | [^/]*_spec\.rb | [^/]*\.ambr | [^/]*\.bats
    """,
    re.VERBOSE,
)
_CONFIG_FILE = compile_late(
    r"""
      pyproject\.toml | setup\.(cfg|py) | tox\.ini | pytest\.(ini|toml) | noxfile\.py
    | \.?(ruff|mypy|pyre|flake8|pylint|bandit|coverage)(rc|\.toml|\.ini|\.cfg)?
    | mypy\.ini | pyrightconfig\.json | (dev-|test-)?requirements[^/]*\.txt | constraints[^/]*\.txt
    | [^/]*\.(pth) | sitecustomize\.py | usercustomize\.py | uv\.(toml|lock) | poetry\.(toml|lock)
    | pdm\.lock | Pipfile(\.lock)? | package(-lock)?\.json | npm-shrinkwrap\.json | yarn\.lock
    | pnpm-(lock|workspace)\.ya?ml | bun\.lockb? | deno\.jsonc? | [jt]sconfig[^/]*\.json
    | (vite|vitest|jest|karma|mocha|ava|babel|webpack|rollup|eslint|biome|prettier|stylelint
      |playwright|cypress|nyc|tsup|esbuild|swc|turbo|nx|lerna|stryker)[^/]*\.([cm]?[jt]s|jsonc?|ya?ml)
    | vitest\.(workspace|setup)[^/]* | jest[.\-](setup|config|environment)[^/]*
    | Cargo\.(toml|lock) | (rust-toolchain|clippy|rustfmt|deny)(\.toml)? | build\.rs
    | go\.(mod|sum|work|work\.sum) | golangci[^/]* | pom\.xml | [^/]*\.gradle(\.kts)?
    | gradle\.properties | CMakeLists\.txt | [^/]*\.cmake | meson\.build
    | WORKSPACE | BUILD(\.bazel)?
    | lefthook\.ya?ml | mise\.toml | bunfig\.toml | (phpunit|psalm)\.xml(\.dist)?
    | phpstan\.neon(\.dist)?
    | codecov\.ya?ml | sonar[^/]*\.properties | untildone\.toml | conftest\.toml
    """,
    re.VERBOSE,
)
# A shell script may be the product itself: it judges only if a check leads to it.
_SCRIPT_FILE = compile_late(
    r"(GNU)?[Mm]akefile | [^/]*\.mk | [Jj]ustfile | [Tt]askfile(\.dist)?\.ya?ml | dodo\.py"
    r" | Rakefile | Dockerfile[^/]* | Jenkinsfile | mvnw | gradlew | runtests[^/]*",
    re.VERBOSE,
)
_SCRIPT_FOLDERS = words("ci .github .gitlab .circleci .githooks .husky")
_DOCUMENT = compile_late(r".*\.(md|rst|adoc|txt)|LICENSE[^/]*|NOTICE[^/]*|CHANGELOG[^/]*")


def classify_file(path: str) -> Role:
    """Return the strictest role: a test folder's data is a test, a hidden file is settings."""
    *folders, name = path.split("/")
    if _TEST_FOLDERS.intersection(folders) or _TEST_FILE.fullmatch(name):
        return "test"
    if _CONFIG_FILE.fullmatch(name):
        return "config"
    if _SCRIPT_FILE.fullmatch(name) or _SCRIPT_FOLDERS.intersection(folders):
        return "script"
    if any(part.startswith(".") for part in (*folders, name)):
        return "config"
    return "document" if _DOCUMENT.fullmatch(name) else "product"
