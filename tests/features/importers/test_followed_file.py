"""The count in a loop file is brought up to date without touching anything else."""

import pytest

from features.importers.formats import samples
from snippets import snippet
from untildone.features.importers.followed_file import replace_count


@pytest.mark.parametrize(
    ("before", "key", "after"),
    [
        (
            snippet("""
                ---
                iteration: 3
                ---
                iteration: 3
            """),
            "iteration",
            snippet("""
                ---
                iteration: 7
                ---
                iteration: 3
            """),
        ),
        (
            "---\r\na: b\r\niteration:  3\r\n---\r\n",
            "iteration",
            "---\r\na: b\r\niteration:  7\r\n---\r\n",
        ),
        (
            snippet("""
                ---
                max_iteration: 3
                ---
                iteration: 3
            """),
            "iteration",
            snippet("""
                ---
                max_iteration: 3
                ---
                iteration: 3
            """),
        ),
        ('{"a": 1, "iteration" : 3}', "iteration", '{"a": 1, "iteration" : 7}'),
        (
            '{"s": [{"iteration": 1}], "iteration": 3}',
            "iteration",
            '{"s": [{"iteration": 1}], "iteration": 3}',
        ),
        ('{"s": [{"iteration": 1}]}', "iteration", '{"s": [{"iteration": 1}]}'),
        ('{"iteration": 1', "iteration", '{"iteration": 1'),
        ("- [ ] a box", "", "- [ ] a box"),
    ],
)
def test_only_the_count_changes(before: str, key: str, after: str) -> None:
    assert replace_count(before.encode(), key, 7) == after.encode()


def test_a_file_with_a_mark_in_front_keeps_it() -> None:
    data = b"\xef\xbb\xbf" + samples.SHIPKIT.encode()

    assert replace_count(data, "iteration", 4) == data.replace(b"iteration: 3", b"iteration: 4", 1)
