"""Every mistake is reported with its value and one remedy, and changes nothing."""

import re
from collections.abc import Callable
from typing import TypeAlias

import pytest

from cli.world import CommandLine, Output, error
from world import CHECK, SESSION

Typed: TypeAlias = Callable[..., Output]
START = ("start", "--session", SESSION)
RANGE = "give a number from 0, which is no bound, to 1000000"
NUMBER = "`--rounds +5` adds five, `--rounds =5` sets it"
HISTORY = "run `untildone history` to see the loops there are"


@pytest.fixture
def typed(cli: CommandLine) -> Typed:
    return cli.run


@pytest.mark.parametrize(
    ("typed_words", "meant"),
    [
        (("staus",), "untildone status"),
        (("stat",), "untildone status"),
        (("approve-all",), "untildone approve"),
        (("Detect",), "untildone detect"),
        (("stop",), "untildone cancel"),
        (("resume",), "untildone continue"),
        (("help",), "untildone --help"),
        (("plan", "shwo"), "untildone plan show"),
        (("statuslin",), "untildone status"),
    ],
)
def test_an_unknown_command_names_the_nearest(
    typed: Typed, typed_words: tuple[str, ...], meant: str
) -> None:
    assert typed(*typed_words) == error(
        f"no such command `{typed_words[-1]}`", f"did you mean `{meant}`?"
    )


@pytest.mark.parametrize(
    ("arguments", "message", "of"),
    [
        (("nonsense",), "no such command `nonsense`", "untildone"),
        (("start", "--nonsense"), "no such option `--nonsense`", "untildone start"),
        (("status", "extra"), "got unexpected extra argument (extra)", "untildone status"),
        (
            ("status", "--project", "/nowhere"),
            "invalid value for `--project`: Directory `/nowhere` does not exist",
            "untildone status",
        ),
        (
            ("start", "--rounds", "x"),
            "invalid value for `--rounds` / `--iterations` / `--max-iterations`:"
            " `x` is not a valid integer",
            "untildone start",
        ),
        (
            ("start", "--done-when", "never"),
            "invalid value for `--done-when`: `never` is not one of"
            " `checks`, `promise`, `both`, `either`",
            "untildone start",
        ),
        (
            ("met", "x"),
            "missing option `--by`. Choose from:"
            " execution, observation, measurement, review, assumption",
            "untildone met",
        ),
        (("note",), "missing argument `TEXT`", "untildone note"),
        (
            ("init", "--scope", "world"),
            "invalid value for `--scope`: `world` is not one of `user`, `project`, `local`",
            "untildone init",
        ),
        (
            ("completion", "tcsh"),
            "invalid value for `{bash|zsh|fish}`: `tcsh` is not one of `bash`, `zsh`, `fish`",
            "untildone completion",
        ),
    ],
)
def test_an_argument_that_is_not_understood(
    typed: Typed, arguments: tuple[str, ...], message: str, of: str
) -> None:
    assert typed(*arguments) == error(message, f"run `{of} --help` to see its options")


def test_a_group_without_its_command_shows_its_help(typed: Typed) -> None:
    code, shown, reported = typed("criterion")

    assert (code, shown) == (2, "")
    assert reported.startswith("Usage: untildone criterion [OPTIONS] COMMAND [ARGS]...\n")


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        (("--rounds", "-1"), "`--rounds -1` is out of range", RANGE),
        (("--budget", "-0.5"), "`--budget -0.5` is out of range", RANGE),
        (("--budget", "nan"), "`--budget nan` is out of range", RANGE),
        (("--minutes", "inf"), "`--minutes inf` is out of range", RANGE),
        (("--minutes", "1e400"), "`--minutes inf` is out of range", RANGE),
        (("--stagnation-limit", "-2"), "`--stagnation-limit -2` is out of range", RANGE),
        (
            ("--rounds", "0", "--budget", "0"),
            "a loop needs a bound",
            "give `--rounds N` or `--budget USD` above 0",
        ),
        (
            ("--success-pattern", "("),
            "the success pattern `(` of check `check` is not a regular expression: missing )",
            "fix it at character 2: `--success-pattern RE`",
        ),
        (
            ("--failure-pattern", "["),
            "the failure pattern `[` of check `check` is not a regular expression:"
            " unterminated character set",
            "fix it at character 2: `--failure-pattern RE`",
        ),
        (("--check", " "), "the command of check `check-2` is empty", "name a command to run"),
        (("--promise", ""), "`--promise` is empty", "say it in words, or leave it out"),
        (("--criterion", "=review"), "`--criterion` is empty", "say it in words, or leave it out"),
        (("--must-not", ""), "`--must-not` is empty", "say it in words, or leave it out"),
        (
            ("--allow", "everything"),
            "`--allow everything` is unknown",
            "`KIND:PATH[:DETAIL]` with one of"
            " suppression, remove-test, edit-test, edit-expected, config",
        ),
        (
            ("--done-when", "promise"),
            "`--done-when promise` needs a promise",
            'give one: `--promise "ALL TESTS GREEN"`',
        ),
        (
            ("--session", "a b"),
            "`a b` is not a session id",
            "`untildone status --all` lists sessions",
        ),
        (("--session", ""), "`` is not a session id", "`untildone status --all` lists sessions"),
    ],
)
def test_a_loop_that_makes_no_sense_is_not_started(
    cli: CommandLine, typed: Typed, options: tuple[str, ...], message: str, hint: str
) -> None:
    assert typed(*START, "--check", CHECK, *options) == error(message, hint)
    assert not (cli.state_folder / "loops").exists()


def test_nothing_to_go_by_is_a_question_with_the_flag(cli: CommandLine, typed: Typed) -> None:
    assert typed(*START, "--preset", "test") == error(
        f"no test command was found in `{cli.project}`",
        'name it: `untildone start --preset test --check "YOUR COMMAND"`',
    )
    assert typed("start", "--check", CHECK) == error(
        f"there is no live session of claude in `{cli.project}`",
        "start the agent here first (after `untildone init`), or name one with `--session ID`",
    )


@pytest.mark.parametrize("preset", ["test", "loop"])
def test_a_broken_manifest_is_reported_with_its_place(
    cli: CommandLine, typed: Typed, preset: str
) -> None:
    path = cli.write("package.json", '{\n  "scripts": {,}\n}\n')
    reported = error(
        f"`{path}` is broken at line 2, column 15:"
        " expecting property name enclosed in double quotes",
        "fix line 2 of `package.json`",
    )

    assert typed(*START, "--preset", preset) == reported
    assert typed("detect") == reported
    assert typed("check") == reported


NO_LOOP_HINT = "`untildone status --all` shows those of other projects"
FIRST_LOOP_HINT = "`untildone start --preset test` starts one in an agent's session"


@pytest.mark.parametrize(
    ("verb", "reported", "hint"),
    [
        ("pause", "there is no unfinished loop in `{}`", NO_LOOP_HINT),
        ("continue", "there is no unfinished loop in `{}`", NO_LOOP_HINT),
        ("cancel", "there is no unfinished loop in `{}`", NO_LOOP_HINT),
        ("show", "no loop ran in `{}` yet", FIRST_LOOP_HINT),
        ("rounds", "no loop ran in `{}` yet", FIRST_LOOP_HINT),
        ("replay", "no loop ran in `{}` yet", FIRST_LOOP_HINT),
    ],
)
def test_a_loop_that_is_not_there(
    cli: CommandLine, typed: Typed, verb: str, reported: str, hint: str
) -> None:
    assert typed(verb) == error(reported.format(cli.project), hint)
    assert typed(verb, "abc") == error("there is no loop `abc`", HISTORY)
    assert typed(verb, "../x") == error("`../x` is not the id of a loop", HISTORY)
    assert typed(verb, "") == error("the loop id is empty", "`untildone status --all` lists them")


def test_several_loops_are_listed_and_none_is_guessed(typed: Typed) -> None:
    loops = []
    for session in ("one", "two"):
        code, shown, _ = typed("start", "--session", session, "--promise", "DONE")
        assert code == 0
        loops.append(shown.split()[2])

    code, shown, reported = typed("pause")

    assert (code, shown) == (2, "")
    assert {f"`{loop}`" for loop in loops} == set(
        reported.splitlines()[0].removeprefix("error: there are several loops here: ").split(", ")
    )
    hint = re.search(r"\n\nhint: name one: `untildone pause (\w+)`\n$", reported)
    assert hint is not None
    assert hint[1] in loops
    assert "hint: name one: `untildone signal … --loop " in typed("signal")[2]
    assert typed("pause", loops[0][:7])[0] == 0


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        (("--rounds", "+x"), "`+x` is not a number for `--rounds`", NUMBER),
        (("--rounds", "nan"), "`nan` is not a number for `--rounds`", NUMBER),
        (("--rounds", "1.5"), "`1.5` is not a number for `--rounds`", NUMBER),
        (("--rounds", "-5"), "`-5` is not a number for `--rounds`", NUMBER),
        (("--rounds", ""), "`` is not a number for `--rounds`", NUMBER),
        (
            ("--budget", "1e9"),
            "`1e9` is not a number for `--budget`",
            "`--budget +5` adds five, `--budget =5` sets it",
        ),
        (
            ("--rounds", "=0", "--budget", "=0"),
            "a loop needs a bound",
            "give `--rounds =N` or `--budget =USD`",
        ),
        (
            ("--here",),
            "`--here` needs an agent's session",
            "type `!untildone continue --here` in that session",
        ),
    ],
)
def test_a_continuation_that_makes_no_sense(
    typed: Typed, options: tuple[str, ...], message: str, hint: str
) -> None:
    assert typed(*START, "--promise", "DONE")[0] == 0
    assert typed("pause")[0] == 0

    assert typed("continue", *options) == error(message, hint)
    assert typed("status")[1].splitlines()[0].endswith("paused, round 0 of 10")


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("note", " "), "text"),
        (("blocked", ""), "reason"),
        (("criterion", "add", ""), "name"),
        (("met", "docs", "--by", "review", "--evidence", "\n"), "--evidence"),
    ],
)
def test_an_agent_that_says_nothing(typed: Typed, arguments: tuple[str, ...], name: str) -> None:
    assert typed(*arguments) == error(f"`{name}` is empty", "say it in words")


def test_what_is_over_is_not_changed_any_more(typed: Typed) -> None:
    loop = typed(*START, "--promise", "DONE", "--criterion", "docs")[1].split()[2]
    typed("cancel", loop)
    over = error(
        f"loop `{loop}` is already finished (cancelled)", "`untildone history` lists what ran"
    )

    for verb in ("pause", "continue", "cancel"):
        assert typed(verb, loop) == over
    for words in (("note", "x"), ("signal",), ("blocked", "x"), ("criterion", "add", "y")):
        assert typed(*words, "--loop", loop) == over
    met = ("met", "docs", "--by", "review", "--evidence", "read it", "--loop", loop)
    assert typed(*met) == over


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("command = ''", "2: `command` is missing or empty"),
        ("command = 'x'\nwhen = 'later'", "3: `when` is `later`; allowed: `round`, `done`"),
    ],
)
def test_a_configured_check_that_makes_no_sense(
    cli: CommandLine, typed: Typed, text: str, message: str
) -> None:
    cli.write("untildone.toml", f"[checks.a]\n{text}\n")

    for arguments in (("check",), ("trust", "--yes"), START):
        code, shown, reported = typed(*arguments)
        assert (code, shown) == (2, "")
        assert reported.startswith(f"error: untildone.toml:{message}\n\nhint: ")
    code, shown, reported = typed("doctor")
    assert code == 1
    assert f"error: configuration: untildone.toml:{message}" in shown
