"""A rule that nothing had switched on may be silenced; one that was on may not."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from untildone.integrity.suppressions import comparison as suppressions

QUIET = "// eslint-disable-next-line no-console\nconsole.log(1);\n"
NAMED = "export default [{ rules: { eqeqeq: 'error' } }];\n"
MORE = "export default [{ rules: { eqeqeq: 'error', 'no-console': 'error' } }];\n"


@pytest.mark.parametrize(
    ("baseline", "command", "expected"),
    [
        ({"eslint.config.js": NAMED}, "eslint .", []),
        ({"eslint.config.js": MORE}, "eslint .", ["suppression:a.js:no-console"]),
        ({}, "eslint .", ["suppression:a.js:no-console"]),
        (
            {"eslint.config.js": NAMED},
            "eslint . --rule 'no-console: 2'",
            ["suppression:a.js:no-console"],
        ),
        (
            {"eslint.config.js": NAMED.replace("[{", "[js.configs.all, {")},
            "eslint .",
            ["suppression:a.js:no-console"],
        ),
        (
            {".eslintrc.json": '{"extends": "airbnb", "rules": {}}'},
            "eslint .",
            ["suppression:a.js:no-console"],
        ),
    ],
)
def test_a_rule_of_eslint_sleeps_where_nothing_names_it(
    tmp_path: Path, baseline: dict[str, str], command: str, expected: list[str]
) -> None:
    old = {"a.js": "console.log(1);\n", **baseline}
    new = {"a.js": QUIET, "eslint.config.js": MORE}

    found = suppressions.find_concerns(compare_projects(tmp_path, old, new, command))
    assert [concern.id.partition("#")[0] for concern in found] == expected


SILENT = """\
#[cfg(test)]
#[allow(clippy::{})]
mod tests {{}}
"""


@pytest.mark.parametrize(
    ("lint", "baseline", "command", "concerns"),
    [
        ("unwrap_used", {}, "cargo clippy", False),
        ("len_zero", {}, "cargo clippy", True),
        ("unwrap_used", {}, "cargo clippy -- -D clippy::unwrap_used", True),
        ("unwrap_used", {}, "cargo clippy -- -W clippy::restriction", True),
        ("unwrap_used", {"Cargo.toml": "[lints.clippy]\nunwrap_used = 'deny'\n"}, "make", True),
        ("unwrap_used", {"src/b.rs": "#![deny(clippy::unwrap_used)]\n"}, "cargo clippy", True),
    ],
)
def test_a_lint_of_clippy_may_sleep_until_it_is_named(
    tmp_path: Path, lint: str, baseline: dict[str, str], command: str, concerns: bool
) -> None:
    old = {"src/lib.rs": "#[cfg(test)]\nmod tests {}\n", **baseline}
    comparison = compare_projects(
        tmp_path, old, {**old, "src/lib.rs": SILENT.format(lint)}, command
    )

    found = [concern.id.partition("#")[0] for concern in suppressions.find_concerns(comparison)]
    assert found == ([f"suppression:src/lib.rs:clippy::{lint}"] if concerns else [])
