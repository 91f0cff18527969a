"""Rules that are data: ast-grep rules in YAML files, run in the process.

    - id: as any
      message: A cast to `any` switches the type checker off.
      rule: {pattern: $VALUE as any}

A file holds the rules of one language and of those that share its grammar. `utils` are rules that
others refer to by `matches`; those under a language hold for that language alone.
"""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml
from ast_grep_py import Config, SgNode
from msgspec import Struct

from untildone.syntax.parsing import parse_file
from untildone.worktree.contents import Tree

# Languages whose rules stand in the file of another.
_FILE_OF_LANGUAGE = {"typescript": "javascript", "tsx": "javascript", "kotlin": "java", "cpp": "c"}
_SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Rule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    id: str
    # What the rule finds, in one sentence.
    message: str
    # A rule of ast-grep.
    rule: dict[str, Any]
    # The text of the file must contain one of them: ast-grep compiles a rule at every call, which
    # costs more than this search.
    words: tuple[str, ...] = ("",)
    # A pattern of paths that the rule does not apply to.
    unless_path: str = ""


class RuleFile(Struct, frozen=True, forbid_unknown_fields=True):
    # The utils of each language that the rules are for.
    languages: dict[str, dict[str, Any]] = {}
    utils: dict[str, Any] = {}
    # What this rule matches is no match of any other.
    exception: dict[str, Any] = {}
    rules: list[dict[str, Any]] = []


AnyRule = TypeVar("AnyRule", bound=Rule)
AnyData = TypeVar("AnyData")


def find_matches(
    tree: Tree, path: str, rules: Iterable[tuple[AnyRule, Config]]
) -> Iterator[tuple[AnyRule, SgNode]]:
    """Yield the nodes of the file that match a rule, each with that rule."""
    text = tree.text(path)
    for rule, config in rules:
        is_excluded = rule.unless_path and re.search(rule.unless_path, path)
        if not is_excluded and any(word in text for word in rule.words):
            root = tree.fact(parse_file, path)
            for node in root.find_all(config) if root else ():
                yield rule, node


@cache
def load_rules(
    folder: Path, language: str, kind: type[AnyRule]
) -> tuple[tuple[AnyRule, Config], ...]:
    """Return the rules for the language, each as ast-grep reads it; none if no file has any."""
    path = folder / f"{_FILE_OF_LANGUAGE.get(language, language)}.yml"
    file = read_data(path, RuleFile) if path.exists() else RuleFile()
    if language not in file.languages:
        return ()
    utils = {**read_words(folder), **file.utils, **file.languages[language]}
    rules = [msgspec.convert(rule, kind) for rule in file.rules]
    return tuple((rule, _make_config(rule.rule, file.exception, utils)) for rule in rules)


@cache
def read_words(folder: Path) -> dict[str, Any]:
    """Return the utils of `words.yml`, which serve all languages."""
    path = folder / "words.yml"
    return read_data(path, RuleFile).utils if path.exists() else {}


def read_data(path: Path, kind: type[AnyData]) -> AnyData:
    """Return the YAML file as a value of this type; raise an error if it is none."""
    text = path.read_text(encoding="utf-8")
    data = yaml.load(text, Loader=_SafeLoader)  # noqa: S506  it is one of yaml's safe loaders
    return msgspec.convert(data, kind)


def _make_config(rule: dict[str, Any], exception: dict[str, Any], utils: dict[str, Any]) -> Config:
    """Return what ast-grep needs to run a rule: the rule without its exception, and its utils."""
    complete: Any = {"all": [rule, {"not": exception}]} if exception else rule
    # ast-grep compiles all utils that it is given, so a rule gets only those that it refers to.
    needed: dict[str, Any] = {}
    pending = list(_find_references(complete))
    while pending:
        name = pending.pop()
        if name not in needed:
            needed[name] = utils[name]
            pending += _find_references(utils[name])
    return {"rule": complete, "utils": needed}


def _find_references(rule: object) -> Iterator[str]:
    """Yield the names of the utils that a rule refers to by `matches`."""
    match rule:
        case dict():
            for key, value in rule.items():
                yield from [value] if key == "matches" else _find_references(value)
        case list():
            for item in rule:
                yield from _find_references(item)
        case _:
            return
