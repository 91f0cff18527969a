"""Changed entries of expected files are a concern, new ones are not."""

from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.tests import expected_files

SNAPSHOT = """\
// Vitest Snapshot v1

exports[`slugs 1`] = `
[
  "a-b",
]
`;
"""


def find_ids(top: Path, path: str, old: str, new: str | None) -> list[str]:
    comparison = compare_projects(top, {path: old}, {} if new is None else {path: new})
    return [concern.id.partition("#")[0] for concern in expected_files.find_concerns(comparison)]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("tests/golden.json", '{"100": 90}', '{"100": 100}'),
        ("tests/golden.json", '{"100": 90, "1": 1}', '{"100": 90}'),
        ("tests/golden.json", "[1, 2]", "[1]"),
        ("tests/golden.json", "[1, 2]", "not json"),
        ("tests/golden.json", "[true]", "[1]"),
        ("tests/expected.txt", "one\n", "two\n"),
        ("tests/expected.txt", "one\n", "one\ntwo\n"),
        ("tests/rows.csv", "1,2\n3,4\n", "1,2\n3,5\n"),
        ("tests/__snapshots__/a.test.js.snap", SNAPSHOT, SNAPSHOT.replace("a-b", "a b")),
        ("tests/__snapshots__/a.test.js.snap", SNAPSHOT, "// Vitest Snapshot v1\n"),
        ("tests/golden.json", "[1]", None),
        ("test/fixtures/page.html", "<p>", "<b>"),
        ("testdata/out.golden", "a", "b"),
        ("tests/golden.json", "[1]", "[" * 100_000),
        ("tests/golden.json", "[" * 900 + "]" * 900, " " + "[" * 900 + "1" + "]" * 900),
    ],
)
def test_an_expectation_changed_is_a_concern(
    tmp_path: Path, path: str, old: str, new: str | None
) -> None:
    assert find_ids(tmp_path, path, old, new) == [f"edit-expected:{path}"]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (
            "tests/golden.json",
            '{"100": 90}',
            snippet("""
                {
                  "100": 90,
                  "500": 400
                }
            """),
        ),
        ("tests/golden.json", "[[1, 2]]", "[[1, 2], [3, 4]]"),
        ("tests/rows.csv", "1,2\n", "1,2\n3,4\n"),
        ("tests/rows.yaml", "a:  1\n", "a: 1\n"),
        ("tests/__snapshots__/a.test.js.snap", SNAPSHOT, SNAPSHOT + "\nexports[`new 1`] = `1`;\n"),
        ("tests/README.md", "old", "new"),
        ("docs/golden.json", "1", "2"),
    ],
)
def test_an_expectation_kept_is_no_concern(tmp_path: Path, path: str, old: str, new: str) -> None:
    assert find_ids(tmp_path, path, old, new) == []


def test_a_moved_file_is_no_concern(tmp_path: Path) -> None:
    comparison = compare_projects(
        tmp_path, {"tests/golden.json": "[1]"}, {"tests/data/golden.json": "[1]"}
    )
    assert list(expected_files.find_concerns(comparison)) == []


def test_values_of_data_files_are_written_as_literals() -> None:
    assert list(expected_files.list_scalars("a.json", '{"a": [1, "x", null, true]}')) == [
        *('"a', "1.0", '"x', "null", "true"),
    ]
    assert list(expected_files.list_scalars("a.csv", "1,x\n")) == ["1.0", '"x', '"']
    rows = "- {text: 'a b', size: -1}\n"
    assert [scalar for scalar in expected_files.list_scalars("a.yaml", rows) if scalar != '"'] == [
        *('"text', '"a b', '"size', "-1.0"),
    ]
    assert list(expected_files.list_scalars("a.bin", "1")) == []
