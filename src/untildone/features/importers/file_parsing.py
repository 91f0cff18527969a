"""Parses the two kinds of files that other tools write, and says where a mistake is.

Front matter with a body, or one JSON object:

    ---
    iteration: 1                    {"iteration": 1, "max_iterations": 10}
    max_iterations: 10
    ---
    The text of the task.

Both become `Fields`. Every mistake is a UserError with the file, the line and the key.
"""

import json
import re
from typing import NoReturn

import yaml

from untildone.errors import UserError
from untildone.features.importers.fields import Fields, Value

MAX_BYTES = 1_000_000
# Parsing takes about a second per megabyte; no tool writes more than a few lines.
_MAX_FRONT_MATTER = 64_000
# The parser sees the text after the first line, `---`, and counts lines from 0.
_FIRST_FIELD_LINE = 2
_MAX_KEYS_WITH_LINES = 200
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def decode_text(path: str, data: bytes, *, max_bytes: int = MAX_BYTES) -> str:
    """Return the text with `\\n` at line ends; raise UserError if it is too large or not text."""
    if len(data) > max_bytes:
        raise UserError(
            f"`{path}` has {len(data)} bytes, more than {max_bytes}",
            hint="put long text into a file of its own and name that in the task",
        )
    try:
        text = data.decode("utf-16" if data.startswith(_UTF_16_MARKS) else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"`{path}`, line {line}: is not UTF-8", hint="save it as UTF-8 and try again"
        ) from None
    return text.replace("\r\n", "\n")


def parse_front_matter(path: str, data: bytes) -> tuple[Fields, str]:
    """Return the fields between the first two lines of `---`, and the text below them."""
    first_line, _, text = decode_text(path, data).partition("\n")
    if first_line.rstrip() != "---":
        raise _make_front_error(path, "does not begin with `---`")
    end = re.search(r"(?m)^---[ \t]*$", text)
    if end is None:
        raise _make_front_error(path, "has no second line of `---`")
    values, lines = _parse_yaml(path, text[: end.start()])
    return Fields(path, values, lines), text[end.end() :].strip()


def _make_front_error(path: str, reason: str) -> UserError:
    return UserError(f"`{path}`, line 1: {reason}", hint="put the fields between two such lines")


def _parse_yaml(path: str, text: str) -> tuple[dict[str, Value], dict[str, int]]:
    """Return the values and the line numbers by key."""
    if len(text) > _MAX_FRONT_MATTER:
        raise UserError(
            f"`{path}`: its fields take more than {_MAX_FRONT_MATTER} characters",
            hint="long text belongs below the second `---`",
        )
    try:
        # Only composed: no object is constructed and no alias is expanded.
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line if error.problem_mark else 0
        raise _make_yaml_error(path, text, line, str(error.problem or error.context)) from None
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position)
        raise _make_yaml_error(path, text, line, "holds a control character") from None
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        reason = str(error).partition("\n")[0]
        raise _make_front_error(path, f"its fields cannot be read ({reason})") from None
    if root is not None and not isinstance(root, yaml.MappingNode):
        raise _make_yaml_error(path, text, 0, "is not a list of `key: value`")
    return _read_pairs(path, root.value if root else [])


def _make_yaml_error(path: str, text: str, line: int, reason: str) -> UserError:
    """Return an error about a line of the front matter; it names the key if the line has one."""
    # The parser may report the line after the last one.
    wrong_line = (*text.split("\n"), "")[min(line, text.count("\n"))]
    key = wrong_line.partition(":")[0].strip()
    key_note = f", `{key[:80]}`" if ":" in wrong_line else ""
    return UserError(
        f"`{path}`, line {line + _FIRST_FIELD_LINE}{key_note}: {reason}",
        hint="put the value in single quotes, or correct it",
    )


def _read_pairs(
    path: str, pairs: list[tuple[yaml.Node, yaml.Node]]
) -> tuple[dict[str, Value], dict[str, int]]:
    """Return the values and the line numbers by key; raise UserError for a repeated key."""
    values: dict[str, Value] = {}
    lines: dict[str, int] = {}
    for key, node in pairs:
        name = str(key.value) if isinstance(key, yaml.ScalarNode) else "?"
        if name in values:
            raise _make_repeated_error(path, key.start_mark.line + _FIRST_FIELD_LINE, name)
        values[name] = _convert_node(node)
        lines[name] = key.start_mark.line + _FIRST_FIELD_LINE
    return values, lines


def _convert_node(node: yaml.Node) -> Value:
    """Return a scalar as it is written, or a list of such scalars.

    `10` stays a text: `Fields` decides by key what it should be. These files nest no deeper, so
    the content of a nested mapping is not read.
    """
    if isinstance(node, yaml.ScalarNode):
        return None if node.tag == "tag:yaml.org,2002:null" else str(node.value)
    if isinstance(node, yaml.SequenceNode):
        return [str(item.value) for item in node.value if isinstance(item, yaml.ScalarNode)]
    return {}


def _make_repeated_error(path: str, line: int, key: str) -> UserError:
    return UserError(
        f"`{path}`, line {line}, `{key[:80]}`: appears twice", hint="leave one of them"
    )


def parse_json_object(path: str, data: bytes) -> Fields:
    """Return the fields of a JSON object; a repeated key, which JSON allows, is an error."""
    text = decode_text(path, data)

    def find_line(key: str) -> int:
        match = re.search(rf"{re.escape(json.dumps(key))}\s*:", text)
        return text.count("\n", 0, match.start()) + 1 if match else 1

    def require_unique_keys(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
        values = dict(pairs)
        if len(values) < len(pairs):
            names = [name for name, _ in pairs]
            repeated = next(name for name in names if names.count(name) > 1)
            raise _make_repeated_error(path, find_line(repeated), repeated)
        return values

    try:
        value = json.loads(
            text, object_pairs_hook=require_unique_keys, parse_constant=_refuse_constant
        )
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        reason = str(error).partition(":")[0].lower()
        raise UserError(
            f"`{path}`, line {line}: is not JSON ({reason})", hint="correct it and try again"
        ) from None
    if not isinstance(value, dict):
        raise UserError(f"`{path}`: is not a JSON object", hint="correct it and try again")
    # Finding a line reads the text, so only so many keys of a huge object get one.
    return Fields(path, value, {key: find_line(key) for key in list(value)[:_MAX_KEYS_WITH_LINES]})


def _refuse_constant(name: str) -> NoReturn:
    """Refuse `NaN` and `Infinity`, which Python's parser accepts but JSON does not have."""
    raise ValueError(f"{name} is not a number")
