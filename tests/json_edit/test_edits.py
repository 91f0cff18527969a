"""Places in a JSON text, and edits that leave everything else as it is."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from snippets import snippet
from untildone.features.plans.editing import set_member
from untildone.json_edit.edits import Edit, apply_edits
from untildone.json_edit.scan import decode_node, scan_value

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=4), VALUES, min_size=1, max_size=5)
INDENTS = st.sampled_from([None, 0, 1, 2, "\t"])


@given(value=OBJECTS, indent=INDENTS, ascii_only=st.booleans())
def test_every_member_is_found_where_it_stands(
    value: dict[str, Any], indent: int | str | None, ascii_only: bool
) -> None:
    text = " " + json.dumps(value, indent=indent, ensure_ascii=ascii_only)

    node = scan_value(text, depth=1)

    values = [decode_node(text, child) for child in node.children]
    assert dict(zip(node.keys, values, strict=True)) == value
    assert all(text[start] == '"' for start in node.starts)


@given(value=OBJECTS, key=st.text(max_size=4), new=VALUES, indent=INDENTS)
def test_a_value_is_set_and_nothing_else_is_changed(
    value: dict[str, Any], key: str, new: object, indent: int | str | None
) -> None:
    text = json.dumps(value, indent=indent)

    after = apply_edits(text, [set_member(text, scan_value(text, depth=1), key, new)])

    assert json.loads(after) == {**value, key: new}
    assert list(json.loads(after)) == list({**value, key: new})


def test_several_edits_are_made_at_their_places() -> None:
    edits = [
        Edit(start=4, end=5, text="X"),
        Edit(start=0, end=1, text=""),
        Edit(start=2, end=2, text="-"),
    ]

    assert apply_edits("abcdef", edits) == "b-cdXf"


def test_a_key_that_is_not_there_is_none() -> None:
    assert scan_value('{"a": 1}', depth=1).get_child("b") is None


def test_a_new_object_is_indented_as_its_neighbours() -> None:
    text = '{\n    "a": 1\n}\n'

    after = apply_edits(text, [set_member(text, scan_value(text, depth=1), "b", {"c": 2})])

    assert after == snippet("""
        {
            "a": 1,
            "b": {
                "c": 2
            }
        }
    """)


def test_values_below_the_depth_have_no_children() -> None:
    node = scan_value('{"a": {"b": {"c": 1}}}', depth=2)

    (inner,) = node.children
    assert inner.keys == ("b",)
    assert inner.children[0].children == ()
