"""Concerns: how they are named, and which of them an approval covers."""

from collections.abc import Iterable

from untildone.core.evidence import Concern, ConcernKind, Evidence

# Permission to edit a test includes its expected values and its removal.
_COVERED_BY: dict[str, ConcernKind] = {
    ConcernKind.EDIT_EXPECTED: ConcernKind.EDIT_TEST,
    ConcernKind.REMOVE_TEST: ConcernKind.EDIT_TEST,
}
_OF_ONE_LOOP = (ConcernKind.PROOF, ConcernKind.ORACLE, ConcernKind.PASS_TO_PASS)
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
    return _is_id_allowed(concern.id, allow)


def _is_id_allowed(finding: str, allow: tuple[str, ...]) -> bool:
    named = strip_content_digest(finding)
    return any(allowance == finding or _covers(allowance, named) for allowance in allow)


def is_file_allowed(path: str, allow: Iterable[str]) -> bool:
    """Say whether the user allowed any change of the file, or of a folder around it.

    `allow` are ids of concerns: `config:pyproject.toml`, `edit-test:tests/a.py:test_one#1f2e`.
    """
    places = (strip_content_digest(finding).partition(":")[2] for finding in allow)
    return any(
        path == place or path.startswith(f"{place.rstrip('/')}/") or place.startswith(f"{path}:")
        for place in places
        if place
    )


def has_unapproved_edits(
    reported: Iterable[str], evidence: Evidence, allow: tuple[str, ...]
) -> bool:
    """Say whether tests were edited, or concerns reported, that the user has not approved."""
    return any(not _is_id_allowed(finding, allow) for finding in reported) or any(
        not is_file_allowed(path, allow) for path in evidence.edited_tests
    )


def is_lasting(concern: Concern) -> bool:
    """Say whether it may be approved for good: it is about a file, not about one loop's proof."""
    return concern.kind not in _OF_ONE_LOOP


def make_lasting_approval(concern: Concern) -> str:
    """Return kind and path; a file of settings has those of many tools, so there also the key."""
    if concern.kind == ConcernKind.CONFIG:
        return strip_content_digest(concern.id)
    return f"{concern.kind}:{concern.path}"


def name_approval(finding: str) -> str:
    """Return what was approved by the concern's id, as the user reads it."""
    if finding.startswith(f"{ConcernKind.PROOF}:"):
        return "the change without a test"
    return strip_content_digest(finding)


def find_unapproved(evidence: Evidence, allow: tuple[str, ...]) -> tuple[Concern, ...]:
    return tuple(concern for concern in evidence.concerns or () if not is_allowed(concern, allow))


def get_file(concern: Concern) -> str:
    """Return the concern's file: `tests/a.py` of `tests/a.py::test_one`."""
    return concern.path.partition("::")[0]


def get_subject(concern: Concern) -> str:
    """Return what the concern names in its file: a test, a setting's key, a rule; else the file."""
    _, named, detail = strip_content_digest(concern.id).partition(f"{concern.kind}:{concern.path}:")
    return (named and detail) or concern.path.partition("::")[2] or concern.path


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
