"""Equality that was exact at the start, and asks only how near two values are now."""

import re
from collections import Counter

from ast_grep_py import SgNode

from untildone.integrity.sniffing.compared_fields import read_compared_fields
from untildone.syntax.parsing import parse_source

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


def find_loosened_type(old: str, new: str, spoken: str) -> str:
    """What is compared so now: the type or the method by name."""
    if not _NEAR.search(new):
        return ""
    before, after = _equalities(old, spoken), _equalities(new, spoken)
    made = read_compared_fields(old, spoken) if spoken in ("python", "rust") else {}
    exact = Counter(name for name, text in before if not _NEAR.search(text))
    exact.update(set(made).difference(name for name, _ in before))
    exact.subtract(name for name, text in after if not _NEAR.search(text))
    near = [each for each in after if _NEAR.search(each[1]) and each not in before]
    return next((name for name, _ in near if exact[name] > 0), "")


def _equalities(text: str, spoken: str) -> list[tuple[str, str]]:
    """Each by the type it is of, with all that it does."""
    top = parse_source(text, spoken)
    found = [node for kind in _FUNCTIONS for node in _found(top, kind)]
    return [(_type(node), node.text()) for node in found if _EQUALITY.match(node.text())]


def _type(function: SgNode) -> str:
    """The class or implementation around it, or the receiver; else its own name."""
    receiver = function.field("receiver")
    if receiver is not None:
        return str(re.findall(r"\w+", receiver.text())[-1])
    for each in function.ancestors():
        named = each.field("type") or each.field("name")
        if each.kind().startswith(("class", "impl", "struct", "object")) and named is not None:
            return named.text()
    found = _EQUALITY.match(function.text())
    return found[1] if found else ""


def _found(top: SgNode, kind: str) -> list[SgNode]:
    try:
        return top.find_all(kind=kind)
    except RuntimeError:
        return []
