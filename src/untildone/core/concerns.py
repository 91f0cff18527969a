"""Concerns: how they are named, and which of them an approval covers."""

from untildone.core.evidence import Concern, ConcernKind, Evidence

# Permission to edit a test includes its expected values and its removal.
_COVERED_BY: dict[str, ConcernKind] = {
    ConcernKind.EDIT_EXPECTED: ConcernKind.EDIT_TEST,
    ConcernKind.REMOVE_TEST: ConcernKind.EDIT_TEST,
}
_OF_TESTS = ("remove-test:", "edit-test:")


def make_concern(
    kind: ConcernKind, path: str, detail: str = "", *, reason: str, content: str = ""
) -> Concern:
    """Return a concern whose id is `KIND:PATH[:DETAIL][#CONTENT]`.

    `content` is the digest of the current content, which limits an approval to it.
    """
    named = f"{kind}:{path}:{detail}" if detail else f"{kind}:{path}"
    bound = f"{named}#{content[:12]}" if content else named
    return Concern(id=bound, kind=kind, path=path, detail=reason)


def is_allowed(concern: Concern, allow: tuple[str, ...]) -> bool:
    """Say whether it is allowed by its id, or by `KIND:PATH[:DETAIL]` as given to `--allow`."""
    return any(
        allowance == concern.id or _covers(allowance, strip_content_digest(concern.id))
        for allowance in allow
    )


def find_unapproved(evidence: Evidence, allow: tuple[str, ...]) -> tuple[Concern, ...]:
    return tuple(concern for concern in evidence.concerns or () if not is_allowed(concern, allow))


def strip_content_digest(finding: str) -> str:
    """Return the id without the digest of the content that it was approved for."""
    return finding.partition("#")[0]


def is_removal_allowed(test: str, allow: tuple[str, ...]) -> bool:
    """Say whether the user allowed the removal of a test, named as its runner names it."""
    names = tuple(map(strip_content_digest, allow))
    if is_allowed(make_concern(ConcernKind.REMOVE_TEST, test, reason=""), names):
        return True
    removed = {name.rpartition(":")[2] for name in names if name.startswith(_OF_TESTS)}
    return any(_ends_with(test.partition("[")[0], name.partition("[")[0]) for name in removed)


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
    if lost in (ConcernKind.CONFIG, ConcernKind.SUPPRESSION) and _is_same_rule(what, where):
        return True
    # A test may be allowed by its bare name, wherever it is.
    return lost == ConcernKind.REMOVE_TEST and where.rpartition("::")[2].partition("[")[0] == what


def _is_same_rule(what: str, where: str) -> bool:
    """Match a key by its last parts, and a rule as people write it: `@ts-ignore`."""
    path, _, rule = what.partition(":")
    place, _, full = where.partition(":")
    if path != place or not rule:
        return False
    return full.endswith(f".{rule}") or _keep_alphanumerics(full) == _keep_alphanumerics(rule)


def _keep_alphanumerics(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())
