"""All problems of a configuration are reported with line and allowed values."""

from pathlib import Path

import pytest

from snippets import snippet
from untildone.checks.parsers import PARSERS
from untildone.config.proposals import load_proposals
from untildone.errors import UserError

CHECK_KEYS = (
    "`command`, `when`, `timeout`, `cwd`, `success_pattern`, `failure_pattern`, `fix`, `env`,"
    " `parser`, `pattern`, `replay`, `replay_reason`, `confirm`, `flaky`, `after`, `skip`"
)
GROUPS = "`(?P<path>…)`, `(?P<line>…)`, `(?P<code>…)`, `(?P<severity>…)`, `(?P<text>…)`"


def read_error(project: Path, text: str, name: str = "untildone.toml") -> str:
    path = project / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError) as error:
        load_proposals(project)
    assert error.value.hint == "fix it there, then `untildone trust`"
    return error.value.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("checks = 5\n", "1: `checks` is `5`; allowed: a table"),
        ("\n[checks]\na = 'x'\n", "3: `a` is `x`; allowed: a table"),
        ("check = 5\n", "1: `check` is unknown; did you mean `checks`?"),
        ("# x\n\nx = 5\n", "3: `x` is unknown; allowed: "
         "`checks`, `templates`, `milestones`, `security_rules`"),
        ("\n[checks.a]\n", "2: `command` is missing or empty"),
        ("[checks.a]\ncommand = 5\n", "2: `command` is `5`; allowed: a text in quotes"),
        (snippet("""
            [checks.a]
            command = 'x'
            run = 'y'
        """), f"3: `run` is unknown; allowed: {CHECK_KEYS}"),
        (snippet("""
            [checks.a]
            command='x'
            timout=3
        """), "3: `timout` is unknown; did you mean `timeout`?"),
        ("checks.a.command = 'x'\nchecks.a.when = 'sometimes'\n",
         "2: `when` is `sometimes`; allowed: `round`, `done`"),
        ("[checks]\na = {command = 'x', when = 2}\n",
         "2: `when` is `2`; allowed: `round`, `done`"),
        ("[checks.a]\ncommand = ''\n", "2: `command` is missing or empty"),
        ("[checks.'']\ncommand = 'x'\n", "1: the name of a check is empty"),
        (snippet("""
            [checks.a]
            command='x'
            timeout='5'
        """), "3: `timeout` is `5`; allowed: a number"),
        (snippet("""
            [checks.a]
            command='x'
            timeout=true
        """), "3: `timeout` is `true`; allowed: a number"),
        *(
            (f"[checks.a]\ncommand='x'\ntimeout={value}\n",
             f"3: `timeout` is `{value}`; allowed: seconds above 0, at most 86400")
            for value in ("0.0", "-1.0", "nan", "inf", "86401.0")
        ),
        *(
            (f"[checks.a]\ncommand='x'\ncwd='{value}'\n",
             f"3: `cwd` is `{value}`; allowed: a folder below the file's own")
            for value in ("..", "a/../../b", "/etc", r"C:\x", r"..\x")
        ),
        (snippet("""
            [checks.a]
            command='x'
            parser='pytst'
        """),
         f"3: `parser` is `pytst`; allowed: {', '.join(f'`{name}`' for name in PARSERS)}"),
        (snippet("""
            [checks.a]
            command='x'
            after=["b"]
            [checks.c]
            command='y'
        """), "3: `after` is `b`; allowed: `c`"),
        (snippet("""
            [checks.a]
            command='x'
            after=["c"]
            [checks.c]
            command='y'
            after=["a"]
        """), "3: the checks come after each other: a → c → a"),
        (snippet("""
            [checks.a]
            command='x'
            replay=false
        """),
         "3: `replay = false` needs a `replay_reason`"),
        (snippet("""
            [checks.a]
            command='x'
            replay=1
        """), "3: `replay` is `1`; allowed: `true` or `false`"),
        (snippet("""
            [checks.a]
            command='x'
            success_pattern='('
        """),
         "3: `success_pattern` is not a regular expression: missing ) at character 2"),
        (snippet("""
            [checks.a]
            command='x'
            pattern='(?P<file>.*)(?P<text>.)'
        """),
         f"3: `pattern` names the group `file`; allowed: {GROUPS}"),
        (snippet("""
            [checks.a]
            command='x'
            pattern='E.*'
        """),
         f"3: `pattern` names no group `text`; allowed: {GROUPS}"),
        (snippet("""
            [checks.a]
            command='x'
            [checks.a.env]
            A='b'
            B=1
        """),
         "5: `B` is `1`; allowed: a text in quotes"),
        ("security_rules = ['a',\n'../b']\n",
         "1: `security_rules` is `../b`; allowed: a folder below the file's own"),
        ("security_rules = 'a'\n", "1: `security_rules` is `a`; allowed: a list"),
        ("security_rules = [1]\n", "1: `security_rules` is `1`; allowed: a text in quotes"),
        ("[templates.a]\npreset='tests'\n", "2: `preset` is `tests`; allowed: "
         "`build`, `test`, `lint`, `ship`, `fix`, `loop`"),
        ("[templates.a]\nrounds=1.5\n", "2: `rounds` is `1.5`; allowed: a whole number"),
        ("[templates.a]\nbudget=-1.0\n",
         "2: `budget` is `-1.0`; allowed: 0, which is no bound, to 1000000"),
        (snippet("""
            [templates.a]
            rounds=0
            budget=0
        """),
         "2: `rounds` and `budget` are both 0: a loop needs a bound"),
        ("[templates.a]\npromises=['']\n", "2: `promises` holds an empty text"),
        ("[milestones]\non=['done']\n", "1: `milestones` is `a table`; allowed: "
         "tables `[[milestones]]`"),
        (snippet("""
            [[milestones]]
            on=['done']
            run='x'

            [[milestones]]
            on=['half','end']
            run='x'
        """),
         "6: `on` is `end`; allowed: `start`, `round`, `half`, `done`, `pause`, `budget`, "
         "`gate`, `approval`"),
        (snippet("""
            [[milestones]]
            on=[]
            run='x'
        """), "2: `on` is missing or empty"),
        ("\n[[milestones]]\non=['done']\n", "2: a milestone has either `run` or `notify`"),
        (snippet("""
            [[milestones]]
            on=['done']
            run='x'
            notify='y'
        """),
         "1: a milestone has either `run` or `notify`"),
        (f"[checks.a]\ncommand='x'\nwhen='{'y' * 70}'\n",
         f"3: `when` is `{'y' * 60}…`; allowed: `round`, `done`"),
        (snippet("""
            [checks.a]
            command="x"
            when="\\u001b[2J"
        """),
         "3: `when` is `\N{REPLACEMENT CHARACTER}[2J`; allowed: `round`, `done`"),
    ],
)  # fmt: skip
def test_a_mistake(tmp_path: Path, text: str, message: str) -> None:
    assert read_error(tmp_path, text) == f"untildone.toml:{message}"


def test_all_mistakes_are_reported_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = snippet("""
        [checks.a]
        when = 'x'
        timeout = 0

        [checks.b]
        command = ' '
        parser = 5
    """)

    assert read_error(tmp_path, text).splitlines() == [
        "untildone.toml:1: `command` is missing or empty",
        "untildone.toml:2: `when` is `x`; allowed: `round`, `done`",
        "untildone.toml:3: `timeout` is `0.0`; allowed: seconds above 0, at most 86400",
        "untildone.toml:6: `command` is missing or empty",
        "untildone.toml:7: `parser` is `5`; allowed: a text in quotes",
    ]


def test_a_flood_of_mistakes_is_cut(tmp_path: Path) -> None:
    lines = read_error(tmp_path, "".join(f"x{number} = 1\n" for number in range(30))).splitlines()

    assert (len(lines), lines[-1]) == (21, "and 10 more")


def test_in_a_folder(tmp_path: Path) -> None:
    assert (
        read_error(tmp_path, "[checks.a]\n", "api/untildone.toml")
        == "api/untildone.toml:1: `command` is missing or empty"
    )


def test_in_a_pyproject(tmp_path: Path) -> None:
    assert (
        read_error(
            tmp_path,
            snippet("""
                [project]
                name='x'
                [tool.untildone]
                checks=1
            """),
            "pyproject.toml",
        )
        == "pyproject.toml:4: `checks` is `1`; allowed: a table"
    )


def test_the_section_itself(tmp_path: Path) -> None:
    assert (
        read_error(tmp_path, "[tool]\nuntildone = 5\n", "pyproject.toml")
        == "pyproject.toml:2: `the file` is `5`; allowed: a table"
    )
