"""Explains how a program ended, and whether a check failed or could not run at all."""

import re
import signal
from pathlib import PurePath

from untildone.checks.parsers import find_parsers
from untildone.commands.programs import find_programs
from untildone.core.late_patterns import compile_late
from untildone.process.runner import Finished

# Exit statuses of a shell.
NOT_EXECUTABLE = 126
NOT_FOUND = 127
_LAST_LINES = 25

# The last lines of programs that could not run, with the reason to report.
_MESSAGES = {
    # sh: 1: jest: not found; bash: line 1: jest: command not found; zsh: command not found: jest
    r"(?:^|: )(?P<name>[\w./@+-]+): (?:command )?not found$": "`{}` was not found",
    r"command not found: (?P<name>\S+)$": "`{}` was not found",
    # make: jest: No such file or directory
    r"^make(?:\[\d+\])?: (?P<name>\S+): No such file or directory$": "`{}` was not found",
    # 'jest' is not recognized as an internal or external command,
    r"^'(?P<name>[^']+)' is not recognized as an internal": "`{}` was not found",
    # /usr/bin/python: No module named pytest
    r"^(?:\S*[\\/])?(?:python|pypy)[\d.]*(?:\.exe)?: No module named (?P<name>[\w.]+)$": (
        "the module `{}` is not installed"
    ),
    # npm error Missing script: "test"; ERR_PNPM_NO_SCRIPT  Missing script: test
    r"(?i:\bMissing script: \"?(?P<name>[^\s\"]+)\"?$)": "there is no script `{}`",
    # npm error npx canceled due to missing packages and no YES option: ["tsc@2.0.4"]
    r"\bnpx canceled due to missing packages .*?\[\"(?P<name>@?[^\"@]+)": "`{}` is not installed",
    # npm error code ENOTCACHED
    r"^npm (?:error|ERR!) code (?P<name>E404|ETARGET|ENOTCACHED|ENOTFOUND|EAI_AGAIN"
    r"|ECONNREFUSED|ECONNRESET|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT)$": (
        "npm could not fetch the package (`{}`): `npm install` it first"
    ),
    # npm error could not determine executable to run
    r"^npm (?:error|ERR!) (?P<name>could not determine executable) to run$": (
        "npm {} for it: is that the package's name?"
    ),
    # This is not the tsc command you are looking for
    r"^ *This is not the (?P<name>tsc) command you are looking for *$": (
        "`{}` is not installed: `npm install --save-dev typescript`"
    ),
    # pytest: error: unrecognized arguments: --cov --cov-fail-under=80
    r"error: unrecognized arguments: .*?(?P<name>--cov)(?=[=\s]|$)": (
        "`pytest-cov`, which knows `{}`, is not installed: `pip install pytest-cov`"
    ),
    # node: bad option: --test-coverage-lines=80
    r"^(?:\S*[\\/])?node: bad option: (?P<name>[^\s=]+)": (
        "this `node` does not know `{}`: install a newer one"
    ),
    #  MISSING DEPENDENCY  Cannot find dependency '@vitest/coverage-v8'
    r"\bCannot find dependency '(?P<name>[^']+)'": (
        "`{0}` is not installed: `npm install --save-dev {0}`"
    ),
    # error: Script not found "test"; error Command "test" not found.
    r"^error:? Script not found \"(?P<name>[^\"]+)\"": "there is no script `{}`",
    r"^error:? Command \"(?P<name>[^\"]+)\" not found": "there is no script `{}`",
    # make: *** No rule to make target 'lint'.  Stop.
    r"^make(?:\[\d+\])?: \*\*\* No rule to make target '(?P<name>[^']+)'\.  Stop\.$": (
        "there is no target `{}`"
    ),
    # /bin/sh: 1: cannot open /dev/tty: No such device or address
    # bash: /dev/tty: Device not configured
    r"(?P<name>/dev/tty): (?:No such device or address|Device not configured)$": (
        "it asks for a terminal (`{}`), and checks run without one"
    ),
    # error: no such command: `clippy`
    r"^error: no such command: `(?P<name>[^`]+)`$": "cargo has no command `{}`",
    # error: 'cargo-clippy' is not installed for the toolchain 'stable'
    r"^error: '(?P<name>[^']+)' is not installed for the toolchain": "`{}` is not installed",
}

_LAST_CHARACTERS = 8_000
# Traceback (most recent call last):
#   File "/shop/.venv/bin/pytest", line 5, in <module>
#     from pytest import console_main
# ModuleNotFoundError: No module named 'pytest'
_IMPORT = compile_late(
    r"(?m)^Traceback \(most recent call last\):\n"
    r"  File \"(?P<file>[^\"\n]+)\", line \d+, in <module>\n(?:  .*\n){1,80}"
    r"(?P<error>(?:ModuleNotFoundError|ImportError): .+)$"
)
# Error: Cannot find module '/shop/node_modules/jest/bin/jest.js'
#   requireStack: []
_MAIN_MODULE = compile_late(
    r"(?m)^Error: Cannot find module '(?P<name>[^'\n]+)'\n(?:.*\n){1,12}? +requireStack: \[\]$"
)


def explain_unrunnable(command: str, finished: Finished, *, output: str) -> str:
    """Return why the check could not run, with the program's name; "" if it ran."""
    if finished.missing:
        return finished.missing
    if finished.exit_code in (0, None):
        return ""
    reason = _match_message(output) or _explain_broken_runner(output[-_LAST_CHARACTERS:])
    program = next(iter(find_programs(command)), command)
    if finished.exit_code == NOT_EXECUTABLE:
        return reason or f"`{program}` cannot be executed"
    if finished.exit_code == NOT_FOUND:
        return reason or f"`{program}` was not found"
    return reason


def _match_message(output: str) -> str:
    for line in reversed(output.rstrip().splitlines()[-_LAST_LINES:]):
        for pattern, reason in _MESSAGES.items():
            if match := re.search(pattern, line[:500]):
                return reason.format(match["name"])
    return ""


def _explain_broken_runner(output: str) -> str:
    """Return why the runner itself is broken: a missing main module, or a failing import."""
    if main := _MAIN_MODULE.search(output):
        return f"`{main['name']}` was not found"
    for match in _IMPORT.finditer(output):
        name = PurePath(match["file"].replace("\\", "/")).name.removesuffix(".exe")
        if find_parsers((name,)):
            return f"`{name}` itself cannot be imported: {match['error']}"
    return ""


def explain_exit(finished: Finished) -> str:
    """Return the exit code of a red run, or the signal that ended it, in words."""
    number = finished.signal or (finished.exit_code or 0) - 128
    name = {member.value: member.name for member in signal.Signals}.get(number)
    if name is None:
        return f"exit code {finished.exit_code}"
    hint = " (out of memory?)" if name == "SIGKILL" else ""
    return f"killed by {name}{hint}"
