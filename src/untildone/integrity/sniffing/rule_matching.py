"""The rules of each language, and how a rule finds nodes in a file."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from ast_grep_py import SgNode

from untildone.integrity.sniffing.c import RULES as C
from untildone.integrity.sniffing.go import RULES as GO
from untildone.integrity.sniffing.java import RULES as JAVA
from untildone.integrity.sniffing.javascript import RULES as JAVASCRIPT
from untildone.integrity.sniffing.rule import Rule
from untildone.integrity.sniffing.rust import RULES as RUST
from untildone.integrity.sniffing.signs import Sign, make_sign
from untildone.syntax.parsing import find_kinds, parse_file
from untildone.worktree.contents import Tree

RULES: Mapping[str, tuple[Rule, ...]] = {
    "javascript": JAVASCRIPT,
    "typescript": JAVASCRIPT,
    "tsx": JAVASCRIPT,
    "go": GO,
    "rust": RUST,
    "java": JAVA,
    "kotlin": JAVA,
    "c": C,
    "cpp": C,
}
_SHORT = 2_000
_TEST_MODULE = re.compile(r"#\[\s*cfg\s*\(\s*(all\s*\(\s*)?test\b")


def find_rule_signs(tree: Tree, path: str, rules: Iterable[Rule]) -> Iterator[Sign]:
    text, root = tree.text(path), tree.fact(parse_file, path)
    for rule in rules if root else ():
        if not re.search(rule.file, text) or (rule.unless and re.search(rule.unless, path)):
            continue
        for node in find_kinds(root, rule.kinds) if root else ():
            if _matches(rule, node):
                yield make_sign(rule.because, node.text(), node.range().start.line + 1)


def _matches(rule: Rule, node: SgNode) -> bool:
    if not re.search(rule.text, node.text()):
        return False
    above = node.ancestors()
    if any(each.kind() in rule.outside for each in above) and not _is_called_at_once(above):
        return False
    if rule.inside and not any(each.kind() in rule.inside for each in above):
        return False
    if rule.within and not _is_in_any(rule.within, above):
        return False
    if rule.near and not _is_near(rule.near, above):
        return False
    if rule.apart and _is_in_any(rule.apart, above):
        return False
    if rule.beside and re.search(rule.beside, _read_item(node)):
        return False
    return not any(each.kind() == "mod_item" and _is_test_module(each) for each in above)


def _is_in_any(pattern: str, above: list[SgNode]) -> bool:
    """Search the nodes around it, but not the file as a whole."""
    return any(re.search(pattern, each.text()) for each in above[:-1])


def _is_near(pattern: str, above: list[SgNode]) -> bool:
    texts = (each.text() for each in above[:-1])
    return any(_search_cached(pattern, text) for text in texts if len(text) <= _SHORT)


@lru_cache(maxsize=512)
def _search_cached(pattern: str, text: str) -> bool:
    """Cached because many nodes stand in the same function."""
    return re.search(pattern, text) is not None


def _is_called_at_once(above: list[SgNode]) -> bool:
    """`(() => { … })()` and callbacks of timers run without another call."""
    return any(
        each.kind() == "call_expression"
        and re.match(
            r"\(|(setTimeout|setImmediate|queueMicrotask|process\.nextTick)\(", each.text()
        )
        for each in above
    )


def _read_item(node: SgNode) -> str:
    """Return the other attributes of the item, and its first line."""
    parts = []
    following = node.next()
    while following is not None:
        parts.append(following.text().partition("\n")[0])
        if following.kind() != "attribute_item":
            break
        following = following.next()
    return "\n".join(parts)


def _is_test_module(module: SgNode) -> bool:
    before = module.prev()
    while before is not None and before.kind() in ("attribute_item", "line_comment"):
        if _TEST_MODULE.search(before.text()):
            return True
        before = before.prev()
    return False
