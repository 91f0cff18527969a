"""What the start had and the tree has not: how a loss is named, and what was allowed."""

from untildone.core.evidence import Concern, ConcernKind, Evidence

# A wider allowance covers these: who may edit a test may edit what it expects.
_COVERED_BY: dict[str, ConcernKind] = {
    ConcernKind.EDIT_EXPECTED: ConcernKind.EDIT_TEST,
    ConcernKind.REMOVE_TEST: ConcernKind.EDIT_TEST,
}
_OF_TESTS = ("remove-test:", "edit-test:")


def make_concern(
    kind: ConcernKind, path: str, detail: str = "", *, reason: str, content: str = ""
) -> Concern:
    """`content` is the digest of what is there now: an approval holds for that alone."""
    named = f"{kind}:{path}:{detail}" if detail else f"{kind}:{path}"
    bound = f"{named}#{content[:12]}" if content else named
    return Concern(id=bound, kind=kind, path=path, detail=reason)


def is_allowed(lost: Concern, allow: tuple[str, ...]) -> bool:
    """By its id, or by `KIND:PATH[:DETAIL]` as the person may word it beforehand."""
    return any(each == lost.id or _covers(each, strip_content_digest(lost.id)) for each in allow)


def find_unapproved(evidence: Evidence, allow: tuple[str, ...]) -> tuple[Concern, ...]:
    return tuple(lost for lost in evidence.concerns or () if not is_allowed(lost, allow))


def strip_content_digest(finding: str) -> str:
    """Without the digest that binds it to what is there now."""
    return finding.partition("#")[0]


def is_removal_allowed(test: str, allow: tuple[str, ...]) -> bool:
    """Of a test by the name its runner gives it, whatever file an approval names it in."""
    names = tuple(strip_content_digest(each) for each in allow)
    if is_allowed(make_concern(ConcernKind.REMOVE_TEST, test, reason=""), names):
        return True
    gone = {each.rpartition(":")[2] for each in names if each.startswith(_OF_TESTS)}
    return any(_ends_with(test.partition("[")[0], each.partition("[")[0]) for each in gone)


def _ends_with(test: str, last: str) -> bool:
    before = test.removesuffix(last)
    return before != test and not (before[-1:].isalnum() or before.endswith("_"))


def _covers(allowance: str, named: str) -> bool:
    kind, _, what = allowance.partition(":")
    lost, _, where = named.partition(":")
    if kind != lost and kind != _COVERED_BY.get(lost):
        return False
    if what == where or where.startswith(f"{what}:") or where.startswith(f"{what.rstrip('/')}/"):
        return True
    if lost in (ConcernKind.CONFIG, ConcernKind.SUPPRESSION) and _same_rule(what, where):
        return True
    # A test goes by its name alone too, wherever it is.
    return lost == ConcernKind.REMOVE_TEST and where.rpartition("::")[2].partition("[")[0] == what


def _same_rule(what: str, where: str) -> bool:
    """A key by its last parts, a rule as people write it: `@ts-ignore`, `pragma: no cover`."""
    path, _, rule = what.partition(":")
    place, _, full = where.partition(":")
    if path != place or not rule:
        return False
    return full.endswith(f".{rule}") or _letters(full) == _letters(rule)


def _letters(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())
