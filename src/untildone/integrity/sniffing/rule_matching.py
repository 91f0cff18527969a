"""Signs of code that turns to the tests, as rules over syntax: one table for each language."""

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from ast_grep_py import SgNode

from untildone.integrity.sniffing.c import RULES as C
from untildone.integrity.sniffing.go import RULES as GO
from untildone.integrity.sniffing.java import RULES as JAVA
from untildone.integrity.sniffing.javascript import RULES as JAVASCRIPT
from untildone.integrity.sniffing.rule import Rule
from untildone.integrity.sniffing.rust import RULES as RUST
from untildone.integrity.sniffing.signs import Sign, make_sign
from untildone.syntax.parsing import parse_source

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


def find_rule_signs(text: str, spoken: str, *, path: str) -> Iterator[Sign]:
    top = parse_source(text, spoken)
    for rule in RULES[spoken]:
        if not re.search(rule.file, text) or (rule.unless and re.search(rule.unless, path)):
            continue
        for kind in rule.kinds:
            for node in _found(top, kind):
                if _matches(rule, node):
                    yield make_sign(rule.because, node.text(), node.range().start.line + 1)


def _found(top: SgNode, kind: str) -> list[SgNode]:
    """A kind that this grammar does not know is found nowhere."""
    try:
        return top.find_all(kind=kind)
    except RuntimeError:
        return []


def _matches(rule: Rule, node: SgNode) -> bool:
    if not re.search(rule.text, node.text()):
        return False
    above = node.ancestors()
    if any(each.kind() in rule.outside for each in above) and not _called_at_once(above):
        return False
    if rule.inside and not any(each.kind() in rule.inside for each in above):
        return False
    if rule.within and not _any(rule.within, above):
        return False
    if rule.near and not _said_near(rule.near, above):
        return False
    if rule.apart and _any(rule.apart, above):
        return False
    if rule.beside and re.search(rule.beside, _item(node)):
        return False
    return not any(each.kind() == "mod_item" and _for_tests(each) for each in above)


def _any(pattern: str, above: list[SgNode]) -> bool:
    """In what it stands in; the file as a whole is not meant."""
    return any(re.search(pattern, each.text()) for each in above[:-1])


def _said_near(pattern: str, above: list[SgNode]) -> bool:
    texts = (each.text() for each in above[:-1])
    return any(_said(pattern, text) for text in texts if len(text) <= _SHORT)


@lru_cache(maxsize=512)
def _said(pattern: str, text: str) -> bool:
    """Many nodes stand in the same function."""
    return re.search(pattern, text) is not None


def _called_at_once(above: list[SgNode]) -> bool:
    """`(() => { … })()` and what is only put off by a timer run without being called."""
    return any(
        each.kind() == "call_expression"
        and re.match(
            r"\(|(setTimeout|setImmediate|queueMicrotask|process\.nextTick)\(", each.text()
        )
        for each in above
    )


def _item(node: SgNode) -> str:
    """The other attributes of the same item, and its first line."""
    parts = []
    following = node.next()
    while following is not None:
        parts.append(following.text().partition("\n")[0])
        if following.kind() != "attribute_item":
            break
        following = following.next()
    return "\n".join(parts)


def _for_tests(module: SgNode) -> bool:
    before = module.prev()
    while before is not None and before.kind() in ("attribute_item", "line_comment"):
        if _TEST_MODULE.search(before.text()):
            return True
        before = before.prev()
    return False
