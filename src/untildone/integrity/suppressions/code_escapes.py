"""Code that silences a checker without a comment: casts, `any`, attributes, annotations.

`value as unknown as Price` in TypeScript, `#[allow(dead_code)]` in Rust. The rules are data.
"""

import re
from pathlib import Path
from typing import Literal, NamedTuple

from ast_grep_py import SgNode

from untildone.syntax.languages import language_of
from untildone.syntax.rules import Rule, find_matches, load_rules
from untildone.worktree.contents import Tree

RULES = Path(__file__).parent / "rules"


class EscapeRule(Rule, frozen=True, kw_only=True):
    # The code that the match stands at: the match itself, its line, the node behind or around it.
    about: Literal["itself", "line", "next", "parent"] = "next"
    # A pattern with one group, the lints that the match names; without any its id is reported.
    codes: str = ""
    # It asks a checker for more, as `#![deny(warnings)]`: its removal is a concern.
    strict: bool = False


class Escape(NamedTuple):
    # A lint that the code names, else the id of our rule.
    rule: str
    # The code that it stands at.
    about: str
    is_strict: bool = False


def find_escapes(tree: Tree, path: str) -> tuple[Escape, ...]:
    """Return the escapes of the file. Use as a tree's fact."""
    rules = load_rules(RULES, language_of(path, tree.text(path)), EscapeRule)
    return tuple(
        Escape(name, _read_context(node, rule.about, tree.text(path)), rule.strict)
        for rule, node in find_matches(tree, path, rules)
        for name in _list_names(rule, node.text())
    )


def _list_names(rule: EscapeRule, text: str) -> list[str]:
    """Return the lints that a match names: `dead_code` of `#[allow(dead_code, reason = "…")]`.

    Those that are made stricter have the rule before them: `deny(warnings)`.
    """
    plain = re.sub(r"reason\s*=\s*\"[^\"]*\"", "", text)
    found = re.findall(rule.codes, plain) if rule.codes else []
    codes = [code for codes in found for code in re.findall(r"[^,\s]+", codes)]
    return [f"{rule.id}({code})" if rule.strict else code for code in codes] or [rule.id]


def _read_context(node: SgNode, about: str, text: str) -> str:
    """Return the code that a match stands at; `text` is the text of the file."""
    match about:
        case "line":
            return text.splitlines()[node.range().start.line].strip()
        case "parent":
            return re.sub(r"\s+", " ", (node.parent() or node).text())[:200]
        case "next":
            following = node.next()
            return re.sub(r"\s+", " ", following.text())[:80] if following else ""
        case _:
            return node.text()
