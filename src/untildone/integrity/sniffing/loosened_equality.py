"""Equality that was exact at the baseline and now accepts values that are only near."""

import re
from collections import Counter

from ast_grep_py import SgNode

from untildone.integrity.comparison import Comparison
from untildone.integrity.sniffing.compared_fields import read_compared_fields
from untildone.syntax.parsing import find_kinds, parse_file
from untildone.worktree.contents import Tree

EQUALITY_LANGUAGES = frozenset(
    ("python", "rust", "javascript", "typescript", "tsx", "go", "java", "kotlin", "cpp")
)
_FUNCTIONS = (
    *("method_definition", "method_declaration", "function_declaration", "function_definition"),
    "function_item",
)
_EQUALITY = re.compile(r"^[^{:]*?\b(__eq__|equals|isEqual|Equal|eq|operator\s*==)\s*\(", re.DOTALL)
_NEAR = re.compile(
    r"\babs(_diff)?\(|\.(abs|round|floor|ceil|trunc|toFixed|Abs|Round|Floor|Trunc)\("
    r"|\b(round|floor|trunc|isclose|approx\w*)\(|(?i:epsilon|toleranc|ignore_?case|equalfold)"
    r"|(?i:to_?lower|casefold|to_ascii_lower|\.lower\()"
)


def find_loosened_type(comparison: Comparison, path: str) -> str:
    """Return the type or method whose equality became loose; empty if there is none."""
    if not _NEAR.search(comparison.new.text(path)):
        return ""
    before = comparison.old.fact(list_equalities, path)
    after = comparison.new.fact(list_equalities, path)
    derived = comparison.old.fact(read_compared_fields, path)
    exact = Counter(name for name, text in before if not _NEAR.search(text))
    exact.update(set(derived).difference(name for name, _ in before))
    exact.subtract(name for name, text in after if not _NEAR.search(text))
    near = [each for each in after if _NEAR.search(each[1]) and each not in before]
    return next((name for name, _ in near if exact[name] > 0), "")


def list_equalities(tree: Tree, path: str) -> list[tuple[str, str]]:
    """Return each equality method with the type it belongs to. Use as a tree's fact."""
    root = tree.fact(parse_file, path)
    found = find_kinds(root, _FUNCTIONS) if root else ()
    return [(_read_type(node), node.text()) for node in found if _EQUALITY.match(node.text())]


def _read_type(function: SgNode) -> str:
    """Return the class or implementation around it, or its receiver, else its own name."""
    receiver = function.field("receiver")
    if receiver is not None:
        return str(re.findall(r"\w+", receiver.text())[-1])
    for each in function.ancestors():
        named = each.field("type") or each.field("name")
        if each.kind().startswith(("class", "impl", "struct", "object")) and named is not None:
            return named.text()
    found = _EQUALITY.match(function.text())
    return found[1] if found else ""
