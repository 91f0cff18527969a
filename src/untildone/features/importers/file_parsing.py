"""Parses the two kinds of loop files: front matter with a body, and one JSON object."""

import json
import re
from typing import NoReturn

import yaml

from untildone.errors import UserError
from untildone.features.importers.fields import Fields, Value

LARGEST = 1_000_000
# Parsing takes about a second per megabyte; no tool writes more than a few lines.
_LARGEST_FRONT = 64_000
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


def decode_text(path: str, data: bytes, *, largest: int = LARGEST) -> str:
    """Raise UserError for a file that is too large or not text."""
    if len(data) > largest:
        raise UserError(
            f"`{path}` has {len(data)} bytes, more than {largest}",
            hint="put long text into a file of its own and name that in the task",
        )
    try:
        text = data.decode("utf-16" if data.startswith(_UTF_16) else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UserError(
            f"`{path}`, line {line}: is not UTF-8", hint="save it as UTF-8 and try again"
        ) from None
    return text.replace("\r\n", "\n")


def parse_front_matter(path: str, data: bytes) -> tuple[Fields, str]:
    """The fields between the first two lines of `---`, and the text below them."""
    first, _, rest = decode_text(path, data).partition("\n")
    if first.rstrip() != "---":
        raise _make_front_error(path, "does not begin with `---`")
    end = re.search(r"(?m)^---[ \t]*$", rest)
    if end is None:
        raise _make_front_error(path, "has no second line of `---`")
    values, lines = _parse_yaml(path, rest[: end.start()])
    return Fields(path, values, lines), rest[end.end() :].strip()


def _make_front_error(path: str, reason: str) -> UserError:
    return UserError(f"`{path}`, line 1: {reason}", hint="put the fields between two such lines")


def _parse_yaml(path: str, text: str) -> tuple[dict[str, Value], dict[str, int]]:
    if len(text) > _LARGEST_FRONT:
        raise UserError(
            f"`{path}`: its fields take more than {_LARGEST_FRONT} characters",
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
    at = (*text.split("\n"), "")[min(line, text.count("\n"))]
    key = at.partition(":")[0].strip()
    named = f", `{key[:80]}`" if ":" in at else ""
    return UserError(
        f"`{path}`, line {line + 2}{named}: {reason}",
        hint="put the value in single quotes, or correct it",
    )


def _read_pairs(
    path: str, pairs: list[tuple[yaml.Node, yaml.Node]]
) -> tuple[dict[str, Value], dict[str, int]]:
    values: dict[str, Value] = {}
    lines: dict[str, int] = {}
    for key, node in pairs:
        name = str(key.value) if isinstance(key, yaml.ScalarNode) else "?"
        if name in values:
            raise _make_repeated_error(path, key.start_mark.line + 2, name)
        values[name] = _convert_node(node)
        lines[name] = key.start_mark.line + 2
    return values, lines


def _convert_node(node: yaml.Node) -> Value:
    """A scalar as it is written; these files have nothing deeper than a list."""
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
    """Raise UserError for a key that appears twice, which JSON allows."""
    text = decode_text(path, data)

    def line_of(key: str) -> int:
        found = re.search(rf"{re.escape(json.dumps(key))}\s*:", text)
        return text.count("\n", 0, found.start()) + 1 if found else 1

    def unique(pairs: list[tuple[str, Value]]) -> dict[str, Value]:
        values = dict(pairs)
        if len(values) < len(pairs):
            names = [name for name, _ in pairs]
            twice = next(name for name in names if names.count(name) > 1)
            raise _make_repeated_error(path, line_of(twice), twice)
        return values

    try:
        value = json.loads(text, object_pairs_hook=unique, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        reason = str(error).partition(":")[0].lower()
        raise UserError(
            f"`{path}`, line {line}: is not JSON ({reason})", hint="correct it and try again"
        ) from None
    if not isinstance(value, dict):
        raise UserError(f"`{path}`: is not a JSON object", hint="correct it and try again")
    return Fields(path, value, {key: line_of(key) for key in list(value)[:200]})


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")
