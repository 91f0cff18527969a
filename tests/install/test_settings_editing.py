"""Our entries go into a settings file and out of it; everything else keeps its bytes."""

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from snippets import snippet
from untildone.errors import UserError
from untildone.install.own_entries import CAP_VARIABLE, find_our_hooks
from untildone.install.settings_editing import Entries, decode, merge, parse, remove

PATH = "settings.json"


def hook(command: str, *, matcher: str = "") -> dict[str, object]:
    group: dict[str, object] = {"matcher": matcher} if matcher else {}
    return group | {"hooks": [{"type": "command", "command": command, "timeout": 600}]}


STOP = hook("'/opt/my ütils/untildone/hook' Stop")
OURS = Entries(
    hooks={"Stop": STOP, "PreToolUse": hook("untildone hook PreToolUse", matcher="Bash")},
    env={CAP_VARIABLE: "60"},
    status_line={"type": "command", "command": "untildone statusline"},
    permissions=("Bash(untildone met:*)", "Bash(untildone note:*)"),
)
ONLY_STOP = Entries(hooks={"Stop": STOP})

FOREIGN_TEXTS = [
    pytest.param("{}", id="empty object"),
    pytest.param("{ \n }\n", id="empty object with space"),
    pytest.param('\ufeff{"a":1}', id="byte order mark, compact"),
    pytest.param('{"a": 1, "b": [true]}', id="one line"),
    pytest.param(
        snippet("""
            {
              "ä": "ü\\u00fc",
              "n": 1.50e+400
            }
        """),
        id="two spaces",
    ),
    pytest.param(
        snippet("""
            {
                "n": 123456789012345678901234567890
            }"""),
        id="four, no newline at the end",
    ),
    pytest.param('{\r\n\t"hooks": {\r\n\t\t"Stop": [{"hooks": []}]\r\n\t}\r\n}\r\n', id="tabs"),
    pytest.param('{"env":{"A":"1"},"permissions":{"deny":["Read"]}}\n\n', id="containers"),
    pytest.param('{"permissions": {"allow": ["Read"]}, "statusLine": {"x": 1}}', id="status line"),
    pytest.param('  {\n"a": 1\n}', id="odd indentation"),
    pytest.param('{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}', id="h"),
]


@pytest.mark.parametrize("text", FOREIGN_TEXTS)
def test_ours_go_in_and_out_without_a_trace(text: str) -> None:
    merged = merge(text, OURS, path=PATH)

    assert merged.text != text
    assert remove(merged.text, path=PATH) == text
    assert remove(merged.text, path=PATH, installed=merged.entries) == text


@pytest.mark.parametrize("text", FOREIGN_TEXTS)
def test_a_second_merge_changes_nothing(text: str) -> None:
    merged = merge(text, OURS, path=PATH)

    again = merge(merged.text, OURS, path=PATH, installed=merged.entries)
    assert again == merged
    assert merge(merged.text, OURS, path=PATH).text == merged.text


def test_a_new_file_holds_ours_alone() -> None:
    expected = {"hooks": {"Stop": [STOP]}}
    assert (
        merge("", ONLY_STOP, path=PATH).text
        == json.dumps(expected, indent=2, ensure_ascii=False) + "\n"
    )


def test_an_empty_file_stays_one_when_there_is_nothing_to_remove() -> None:
    assert remove(" \n", path=PATH) == " \n"


def test_ours_are_written_like_their_neighbours() -> None:
    text = snippet("""
        {
        \t"hooks": {
        \t\t"Stop": [
        \t\t\t{"hooks":[]}
        \t\t]
        \t},
        \t"a":1.0
        }""")
    ours = Entries(hooks={"Stop": hook("untildone hook")}, permissions=("Bash(untildone met:*)",))

    assert merge(text, ours, path=PATH).text == (
        snippet("""
            {
            \t"hooks": {
            \t\t"Stop": [
            \t\t\t{"hooks":[]},
            \t\t\t{
            \t\t\t\t"hooks": [
            \t\t\t\t\t{
            \t\t\t\t\t\t"type": "command",
            \t\t\t\t\t\t"command": "untildone hook",
            \t\t\t\t\t\t"timeout": 600
            \t\t\t\t\t}
            \t\t\t\t]
            \t\t\t}
            \t\t]
            \t},
            \t"a":1.0,
            \t"permissions": {
            \t\t"allow": [
            \t\t\t"Bash(untildone met:*)"
            \t\t]
            \t}
            }""")
    )


def test_ours_have_the_line_ends_of_the_file() -> None:
    text = merge('{\r\n  "env": {\r\n    "A": "1"\r\n  }\r\n}\r\n', OURS, path=PATH).text
    assert text.count("\n") == text.count("\r\n") > 6


def test_an_entry_of_ours_that_was_laid_out_anew_is_left_so() -> None:
    text = json.dumps({"hooks": {"Stop": [STOP]}}, indent=7)
    assert merge(text, ONLY_STOP, path=PATH).text == text


def test_a_number_too_long_for_python_is_kept() -> None:
    text = '{"a": %s}' % ("9" * 5000)
    assert remove(merge(text, OURS, path=PATH).text, path=PATH) == text


def test_an_old_entry_is_renewed_where_it_stands() -> None:
    old, gone = hook("/old/untildone/hook Stop"), hook("/old/untildone/hook PreCompact")
    before = {"hooks": {"Stop": [old, {"hooks": []}], "PreCompact": [gone]}, "a": 1}
    merged = merge(json.dumps(before), ONLY_STOP, path=PATH)

    expected = {"hooks": {"Stop": [STOP, {"hooks": []}]}, "a": 1}
    assert merged.text == json.dumps(expected, ensure_ascii=False)


def test_ours_in_a_foreign_group_and_twice_become_one_group() -> None:
    foreign = {"type": "command", "command": "mine"}
    mine = {"type": "command", "command": "untildone hook Stop"}
    groups = [{"hooks": [foreign, mine, mine]}, {"hooks": [mine]}, {"hooks": [mine, mine]}]

    text = merge(json.dumps({"hooks": {"Stop": groups}}), ONLY_STOP, path=PATH).text
    assert json.loads(text) == {"hooks": {"Stop": [{"hooks": [foreign]}, STOP]}}


@pytest.mark.parametrize("value", ["5", "0", "200", 5])
def test_a_foreign_cap_is_kept_and_reported(value: object) -> None:
    text = json.dumps({"env": {CAP_VARIABLE: value}})
    merged = merge(text, Entries(env={CAP_VARIABLE: "60"}), path=PATH)

    note = f"kept the variable `{CAP_VARIABLE}` at `{value}`; untildone would set `60`"
    assert (merged.text, merged.notes, merged.entries) == (text, (note,), Entries())


def test_what_the_user_had_already_is_not_ours_later() -> None:
    text = json.dumps(
        {"env": {CAP_VARIABLE: "60"}, "permissions": {"allow": [OURS.permissions[0]]}}
    )
    merged = merge(text, OURS, path=PATH)

    assert merged.entries.permissions == OURS.permissions[1:]
    assert merged.notes == ()
    assert remove(merged.text, path=PATH, installed=merged.entries) == text


def test_a_foreign_status_line_is_kept_and_reported() -> None:
    text = '{"statusLine": {"type": "command", "command": "mine"}}'
    merged = merge(text, Entries(status_line=OURS.status_line), path=PATH)

    note = "kept your own status line; `untildone statusline` prints ours"
    assert (merged.text, merged.notes) == (text, (note,))


def test_hooks_that_are_switched_off_are_reported() -> None:
    merged = merge('{"disableAllHooks": true}', Entries(), path=PATH)

    note = "`disableAllHooks` is set in this file: no hook runs until you remove it"
    assert merged.notes == (note,)


def test_what_is_no_more_wanted_goes() -> None:
    first = merge('{"a": 1}', OURS, path=PATH)
    fewer = Entries(env={CAP_VARIABLE: "70"}, permissions=OURS.permissions[1:])

    text = merge(first.text, fewer, path=PATH, installed=first.entries).text
    assert json.loads(text) == {
        "a": 1,
        "env": {CAP_VARIABLE: "70"},
        "permissions": {"allow": ["Bash(untildone note:*)"]},
    }


def test_what_the_user_added_later_stays() -> None:
    settings = json.loads(merge("{}", OURS, path=PATH).text)
    settings["hooks"]["Stop"].append({"hooks": []})
    settings["env"]["A"] = "1"
    settings["permissions"]["allow"].insert(0, "Read")

    assert json.loads(remove(json.dumps(settings), path=PATH)) == {
        "hooks": {"Stop": [{"hooks": []}]},
        "env": {"A": "1"},
        "permissions": {"allow": ["Read"]},
    }


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{\n  "a" 1}', "is not valid JSON at line 2, column 7: expecting `:`"),
        (
            '{\n  "a": 1,\n  "a": 2}',
            "is not valid JSON at line 3, column 3: the key `a` appears twice",
        ),
        ('{"a": [1 2]}', "is not valid JSON at line 1, column 10: expecting `,` or `]`"),
        ('{"a": {"b": 1]}', "is not valid JSON at line 1, column 14: expecting `,` or `}`"),
        ("{a: 1}", "is not valid JSON at line 1, column 2: expecting a key in double quotes"),
        ('{"a": NaN}', "is not valid JSON at line 1, column 7: expecting value"),
        ('{"a": x}', "is not valid JSON at line 1, column 7: expecting value"),
        ("{} {}", "is not valid JSON at line 1, column 4: extra data"),
        ("[" * 100_000, "is not valid JSON at line 1, column 1: nested too deeply"),
        ("[]", "is not an object at the top level"),
        ('{"hooks": []}', "has a `hooks` of a shape that the client does not read"),
        ('{"hooks": {"Stop": {}}}', "has a `hooks` of a shape that the client does not read"),
        ('{"env": 5}', "has a `env` of a shape that the client does not read"),
        (
            '{"permissions": {"allow": 5}}',
            "has a `permissions` of a shape that the client does not read",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(text: str, problem: str) -> None:
    with pytest.raises(UserError) as caught:
        merge(text, OURS, path=PATH)

    assert caught.value.message == f"`{PATH}` {problem}"
    assert caught.value.hint == f"correct `{PATH}`; nothing was written to it"


def test_bytes_that_are_no_text_are_refused_with_their_place() -> None:
    with pytest.raises(UserError, match="`x` is not UTF-8 at line 2, column 3"):
        decode(b'{\n "\xff": 1}', path="x")


def test_a_byte_order_mark_survives() -> None:
    data = b'\xef\xbb\xbf{"a": 1}'
    assert decode(data, path="x").encode() == data
    assert parse(decode(data, path="x"), "x") == {"a": 1}


# What ours go into; a file that holds one of these empty does not get it back.
OPEN = ("hooks", "env", "permissions", "statusLine")
NAMES = st.text(max_size=5)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | NAMES
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
COMMANDS = st.builds(lambda command: {"type": "command", "command": command}, st.text(max_size=8))
GROUPS = st.lists(
    st.builds(lambda hooks: {"hooks": hooks}, st.lists(COMMANDS, max_size=2)),
    min_size=1,
    max_size=2,
)
KNOWN = st.fixed_dictionaries(
    {},
    optional={
        "hooks": st.dictionaries(st.sampled_from(["Stop", "PreToolUse", "X"]), GROUPS, min_size=1),
        "env": st.dictionaries(
            st.sampled_from(["A", CAP_VARIABLE]), st.sampled_from(["1", "60"]), min_size=1
        ),
        "statusLine": st.just({"type": "command", "command": "mine"}),
        "permissions": st.fixed_dictionaries(
            {"deny": st.just(["x"])},
            optional={
                "allow": st.lists(
                    st.sampled_from([*OURS.permissions, "Read", 5]), min_size=1, unique=True
                )
            },
        ),
    },
)
INDENTS = st.sampled_from([None, 0, 1, 2, 4, "\t"])
SEPARATORS = st.sampled_from([(",", ": "), (",", ":"), (", ", ": "), (" ,", " : ")])
ENDS = st.sampled_from(["", "\n", "\r\n", " \n\n"])


@st.composite
def texts(draw: st.DrawFn) -> str:
    foreign = draw(st.dictionaries(NAMES.filter(lambda name: name not in OPEN), VALUES, max_size=3))
    settings = list({**foreign, **draw(KNOWN)}.items())
    text = json.dumps(
        dict(draw(st.permutations(settings))),
        indent=draw(INDENTS),
        separators=draw(SEPARATORS),
        ensure_ascii=draw(st.booleans()),
    )
    # Only a line break of the layout: one inside a string is escaped.
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return draw(st.sampled_from(["", "\ufeff"])) + text.replace("\n", newline) + draw(ENDS)


@given(texts())
def test_any_file_is_given_back_byte_for_byte(text: str) -> None:
    assume(not find_our_hooks(parse(text, PATH)))
    merged = merge(text, OURS, path=PATH)
    before, after = json.loads(text.removeprefix("\ufeff")), parse(merged.text, PATH)

    assert len(find_our_hooks(after)) == 2
    assert [key for key in after if key in before] == list(before)
    assert all(after[key] == before[key] for key in before.keys() - {"hooks", "env", "permissions"})
    assert merge(merged.text, OURS, path=PATH, installed=merged.entries) == merged
    assert remove(merged.text, path=PATH, installed=merged.entries) == text
