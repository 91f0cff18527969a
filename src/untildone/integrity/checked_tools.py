"""Which tools the agreed checks run: settings and suppressions of any other decide nothing.

`# noqa` silences nothing where the checks only run pytest, and a milder rule in `eslint.config.mjs`
lets nothing pass where they only run `tape`.
"""

import re
from collections.abc import Iterator
from functools import partial

from untildone.commands.deciding_calls import find_deciding_calls
from untildone.commands.invoked_scripts import find_run_scripts
from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.settings.parsing import list_configurations, read_settings
from untildone.words import words

# They run no other tool unless a file of the project names it.
_SELF_CONTAINED = words("""
    pytest unittest nosetests nose2 mypy ruff pyright flake8 pylint python python3 node vitest jest
    mocha tape ava tap uvu jasmine qunit eslint tsc prettier biome go cargo rspec phpunit
""")
# Settings by which a test runner starts another tool: pytest's options, switches of jest, vitest.
_SWITCH = compile_late(
    r"(.*\.)?(addopts|collectCoverage|runner|(coverage|typecheck)\.enabled)"
    r"|jest\.(preset|transform\..+)|mocha\.require"
)

# `// eslint-disable-line` in a test runs nothing.
_COMMENT = compile_late(r"(#|//|/\*|^[ \t]*\*).*", re.MULTILINE)


def runs_tool(comparison: Comparison, pattern: str) -> bool:
    """Say whether a check calls the tool, or a test runner starts it by its settings.

    `pattern` finds the tool where it is mentioned. True also if the calls are not known, or one of
    them may run any other tool.
    """
    return comparison.fact(partial(_find_tool, pattern=pattern), key=(runs_tool, pattern))


def _find_tool(comparison: Comparison, *, pattern: str) -> bool:
    texts = list_call_texts(comparison)
    if texts is None:
        return True
    mentions = re.compile(pattern, re.IGNORECASE).search
    return any(map(mentions, (*texts, *_list_switches(comparison), *_list_scripts(comparison))))


def list_call_texts(comparison: Comparison) -> tuple[str, ...] | None:
    """Return the commands and words of the checks' calls; None if they may run any tool."""
    calls = [
        call
        for tree in comparison.trees
        for command in comparison.commands
        for call in find_deciding_calls(tree, command)
    ]
    if not calls or any(call[0] not in _SELF_CONTAINED for call in calls):
        return None
    return (*comparison.commands, *(word for call in calls for word in call))


def _list_scripts(comparison: Comparison) -> Iterator[str]:
    """Yield the texts of scripts that the checks run, and of tests, which may start tools."""
    for command in comparison.commands:
        yield from (script.text for script in find_run_scripts(comparison.old, command))
    # Of `package.json` only the called scripts run, which are among those above.
    scripts = (path for path in comparison.deciding_files if not path.endswith("package.json"))
    yield from map(comparison.old.text, scripts)
    tests = (path for path in comparison.old if comparison.role(path) == "test")
    yield from (_COMMENT.sub("", comparison.old.text(path)) for path in tests)


def _list_switches(comparison: Comparison) -> Iterator[str]:
    """Yield the settings, of either tree, by which a runner starts other tools."""
    for tree in comparison.trees:
        for path in list_configurations(tree):
            for key, values in read_settings(tree, path).items():
                if _SWITCH.fullmatch(key):
                    name = key.partition(".")[2]
                    yield from (f"{name}={value}" for value in values if value is not False)
