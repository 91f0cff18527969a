"""Bad files: a safe default that is named, or a refusal with file, line and key."""

import pytest

from features.importers.formats import samples
from features.importers.formats.samples import read
from snippets import snippet
from untildone.errors import UserError
from untildone.features.importers.formats.loop_format import ImportedLoop

PATH = ".stravinsky/continuation-loop.md"
JSON = ".jikime_loop_state.json"


@pytest.mark.parametrize(
    "data",
    [
        samples.STRAVINSKY.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + samples.STRAVINSKY.encode(),
        samples.STRAVINSKY.encode("utf-16"),
        samples.STRAVINSKY.replace(
            '"All tests passing|Feature complete"', "'All tests passing |Feature complete'"
        ).encode(),
        samples.STRAVINSKY.replace("iteration_count: 1", "iteration_count: '1'").encode(),
        samples.STRAVINSKY.replace("---\niter", "---  \n# theirs\niter").encode(),
    ],
)
def test_other_ways_to_write_the_same_are_the_same(data: bytes) -> None:
    assert read(PATH, data) == read(PATH, samples.STRAVINSKY)


@pytest.mark.parametrize(
    ("change", "default"),
    [
        (("max_iterations: 15", "max_iterations: ten"), "`max_iterations` is `ten`: 10 is used"),
        (("max_iterations: 15", "max_iterations: -3"), "`max_iterations` is `-3`: 10 is used"),
        (
            ("max_iterations: 15", "max_iterations: [15]"),
            "`max_iterations` is `['15']`: 10 is used",
        ),
        (("max_iterations: 15", "max: {a: b}"), "`max_iterations` is missing: 10 is used"),
        (
            ("iteration_count: 1", f"iteration_count: {'9' * 60}"),
            f"`iteration_count` is `{'9' * 38} …`: 0 is used",
        ),
        (("active: true", "active: flase"), "`active` is `flase`: false is used"),
    ],
)
def test_a_value_of_the_wrong_kind_has_a_default_that_is_named(
    change: tuple[str, str], default: str
) -> None:
    assert default in read(PATH, samples.STRAVINSKY.replace(*change)).defaults


def test_snapshots_that_are_no_list_are_named() -> None:
    text = samples.JIKIME.replace('[{"iteration": 1, "error_count": 3}]', '"none"')

    assert "`snapshots` is `none`: nothing is used" in read(JSON, text).defaults


def test_json_values_of_the_wrong_kind_have_defaults_that_are_named() -> None:
    text = """{"active": 3, "iteration": 2.0, "max_iterations": true, "task_description": ["x"],
     "target_files": "src", "completion_criteria": 7, "final_status": 1.5}"""

    assert read(JSON, text) == ImportedLoop(
        preset="fix",
        count=2,
        rounds=10,
        stagnation=3,
        zero_counts=("zero_errors",),
        done_when="either",
        active=False,
        defaults=(
            "`completion_criteria` is `7`: nothing is used",
            "`target_files` is `src`: nothing is used",
            "`task_description` is `['x']`: nothing is used",
            "`active` is `3`: false is used",
            "`max_iterations` is `True`: 10 is used",
        ),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no front", "line 1: does not begin with `---`"),
        ("", "line 1: does not begin with `---`"),
        ("---\nactive: true\n", "line 1: has no second line of `---`"),
        (
            snippet("""
                ---
                active: true
                completion_promise: "\\d passed"
                ---
            """),
            "line 3, `completion_promise`: found unknown escape character 'd'",
        ),
        ("---\na: 1\nb: 2\na: 3\n---\n", "line 4, `a`: appears twice"),
        ("---\n- a\n- b\n---\n", "line 2: is not a list of `key: value`"),
        ("---\na: *nobody\n---\n", "line 2, `a`: found undefined alias 'nobody'"),
        (
            '---\na: "\\U00110000"\n---\n',
            "line 1: its fields cannot be read (chr() arg not in range(0x110000))",
        ),
        ("---\na: b\nc: \x07\n---\n", "line 3, `c`: holds a control character"),
    ],
)
def test_front_matter_that_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(UserError) as refused:
        read(PATH, text)

    assert refused.value.message == f"`{PATH}`, {message}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: is not JSON (expecting value)"),
        ('{"active": true,\n "iteration": }', "line 2: is not JSON (expecting value)"),
        ('{"active": true,\n "active": false}', "line 1, `active`: appears twice"),
        ('{"iteration": NaN}', "line 1: is not JSON (nan is not a number)"),
    ],
)
def test_json_that_cannot_be_read_is_refused(text: str, message: str) -> None:
    with pytest.raises(UserError) as refused:
        read(JSON, text)

    assert refused.value.message == f"`{JSON}`, {message}"


def test_json_that_is_no_object_is_refused() -> None:
    with pytest.raises(UserError, match="is not a JSON object"):
        read(JSON, "[1]")


@pytest.mark.parametrize("data", [b"{" * 50_000, b'{"a":' * 50_000, b"[" * 50_000])
def test_json_nested_without_end_is_refused(data: bytes) -> None:
    with pytest.raises(UserError):
        read(JSON, data)


def test_front_matter_nested_without_end_is_refused() -> None:
    with pytest.raises(UserError):
        read(PATH, f"---\na: {'[' * 20_000}\n---\n")


def test_bytes_that_are_no_text_are_refused_with_their_line() -> None:
    with pytest.raises(UserError) as refused:
        read(PATH, b"---\na: \xff\n---\n")

    assert refused.value.message == f"`{PATH}`, line 2: is not UTF-8"


@pytest.mark.parametrize(
    "text", ["x" * 1_000_001, f"---\na: {'x' * 64_000}\n---\n"], ids=["file", "fields"]
)
def test_what_is_far_too_large_is_refused(text: str) -> None:
    with pytest.raises(UserError, match="more than"):
        read(PATH, text)


def test_an_alias_is_never_multiplied() -> None:
    levels = "\n".join(f"l{n + 1}: &l{n + 1} [{', '.join([f'*l{n}'] * 9)}]" for n in range(30))
    text = samples.STRAVINSKY.replace("active", f"l0: &l0 [x]\n{levels}\nactive", 1)

    assert read(PATH, text).promises == ("All tests passing", "Feature complete")


def test_half_a_character_is_replaced() -> None:
    assert read(JSON, '{"task_description": "a \\ud800 b"}').task == "a ? b"
