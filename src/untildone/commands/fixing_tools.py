"""Tools that edit the files they judge, and what keeps each of them from it.

A row is for a program, or for one subcommand of it. Words in `swap` are replaced (by nothing: left
out), and `add` is inserted unless the call has one of the words in `unless`.
"""

from collections.abc import Mapping
from typing import NamedTuple


class FixingTool(NamedTuple):
    """How a call of the tool must read so that it edits nothing."""

    swap: Mapping[str, str] = {}
    add: str = ""
    unless: tuple[str, ...] = ()


def _drop(*words: str) -> FixingTool:
    return FixingTool(swap=dict.fromkeys(words, ""))


def _add(option: str, *unless: str) -> FixingTool:
    return FixingTool(add=option, unless=(option, *unless))


def _swap(option: str, *words: str) -> FixingTool:
    return FixingTool(swap=dict.fromkeys(words, option))


_FIX = _drop("--fix")

# The program, and its subcommand or "" for any call of it.
FIXING_TOOLS: Mapping[tuple[str, str], FixingTool] = {
    # Their settings may say `fix = true`, which only an option overrides.
    ("ruff", "check"): FixingTool(
        swap={"--fix": "", "--fix-only": "", "--add-noqa": ""},
        add="--no-fix",
        unless=("--no-fix", "--diff"),
    ),
    ("golangci-lint", "run"): FixingTool(
        swap={"--fix": ""}, add="--fix=false", unless=("--fix=false",)
    ),
    ("vue-cli-service", "lint"): FixingTool(
        swap={"--fix": ""}, add="--no-fix", unless=("--no-fix",)
    ),
    # These edit without being asked.
    ("ruff", "format"): _add("--check", "--diff"),
    ("black", ""): _add("--check", "--diff"),
    ("isort", ""): _add("--check-only", "--check", "-c", "--diff", "-d", "--stdout"),
    ("cargo", "fmt"): _add("--check"),
    ("rustfmt", ""): _add("--check"),
    ("deno", "fmt"): _add("--check"),
    ("dprint", "fmt"): _swap("check", "fmt"),
    ("terraform", "fmt"): _add("-check"),
    ("tofu", "fmt"): _add("-check"),
    ("mix", "format"): _add("--check-formatted"),
    ("zig", "fmt"): _add("--check"),
    ("stylua", ""): _add("--check"),
    ("taplo", "fmt"): _add("--check"),
    ("taplo", "format"): _add("--check"),
    ("swiftformat", ""): _add("--lint", "--dryrun"),
    ("scalafmt", ""): _add("--test", "--check"),
    ("dotnet", "format"): _add("--verify-no-changes"),
    ("php-cs-fixer", "fix"): _add("--dry-run"),
    # These edit with an option.
    ("prettier", ""): _swap("--check", "--write", "-w"),
    ("biome", ""): _drop("--write", "--fix", "--apply", "--apply-unsafe", "--unsafe"),
    ("eslint", ""): _drop("--fix", "--fix-type"),
    **{
        (program, ""): _FIX
        for program in (
            *("eslint_d", "tslint", "standard", "ts-standard", "semistandard", "xo", "stylelint"),
            *("markdownlint", "markdownlint-cli2", "textlint", "ember-template-lint"),
            *("sass-lint", "swiftlint"),
        )
    },
    ("next", "lint"): _FIX,
    ("ng", "lint"): _FIX,
    ("deno", "lint"): _FIX,
    ("oxlint", ""): _drop("--fix", "--fix-suggestions", "--fix-dangerously"),
    ("cargo", "clippy"): _drop("--fix", "--allow-dirty", "--allow-staged", "--allow-no-vcs"),
    ("rubocop", ""): _drop(
        *("-a", "-A", "-x", "--autocorrect", "--autocorrect-all", "--fix-layout"),
        *("--auto-correct", "--auto-correct-all"),
    ),
    ("ktlint", ""): _drop("-F", "--format"),
    ("codespell", ""): _drop("-w", "--write-changes"),
    ("typos", ""): _drop("-w", "--write-changes"),
    ("clang-format", ""): _swap("--dry-run --Werror", "-i"),
    ("shfmt", ""): _swap("-d", "-w", "--write"),
    ("yapf", ""): _swap("--diff", "-i", "--in-place"),
    ("autopep8", ""): _swap("--diff --exit-code", "-i", "--in-place"),
    ("autoflake", ""): _swap("--check", "-i", "--in-place"),
    ("docformatter", ""): _swap("--check", "-i", "--in-place"),
    ("djlint", ""): _swap("--check", "--reformat"),
    ("mvn", ""): _swap("spotless:check", "spotless:apply"),
    ("mvnw", ""): _swap("spotless:check", "spotless:apply"),
    ("gradle", ""): FixingTool(swap={"spotlessApply": "spotlessCheck"}),
    ("gradlew", ""): FixingTool(swap={"spotlessApply": "spotlessCheck"}),
    # Tests that take the present output as the expected one prove nothing.
    ("jest", ""): _drop("-u", "--updateSnapshot", "--update-snapshot"),
    ("vitest", ""): _drop("-u", "--update"),
    ("pytest", ""): _drop("--snapshot-update", "--update-snapshots", "--regen-all"),
}
# Options above whose value is the next word.
WITH_VALUE = frozenset(("--fix-type",))


def find_fixing_tool(program: str, arguments: tuple[str, ...]) -> tuple[FixingTool, str] | None:
    """Return the row for a call, and the subcommand that it has; None if the tool edits nothing."""
    before = ""
    for word in arguments:
        if tool := FIXING_TOOLS.get((program, word)):
            return tool, word
        # `ruff --config a.toml check`, `cargo +nightly fmt`: options, and perhaps their values
        if word[:1] not in ("-", "+") and not before.startswith("-"):
            break
        before = word if word[:1] != "+" else before
    tool = FIXING_TOOLS.get((program, ""))
    return (tool, "") if tool else None
