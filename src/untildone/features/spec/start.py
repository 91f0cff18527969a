"""The start of a loop from a spec: its score, what SHAPE.md adds, what the user reads."""

import hashlib
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from untildone.core.contract import Claim, Contract
from untildone.core.spec.gates import skips_gates
from untildone.core.spec.rubric import (
    MAX_SCORE,
    MIN_COLLEAGUE_SCORE,
    AgreedTerms,
    Score,
    score_spec,
)
from untildone.core.verdict import OUTCOMES
from untildone.engine.context import Context
from untildone.errors import UserError
from untildone.features.spec import shape_file
from untildone.features.spec.shape_file import ShapeContents
from untildone.report.announcements import announce_start
from untildone.store.loops import Record
from untildone.store.trusted_files import read_trusted_hash


class ShapeFile(Struct, frozen=True, kw_only=True):
    path: Path
    text: str
    sha256: str


def load_shape_file(project: Path) -> ShapeFile | None:
    path = project / shape_file.SHAPE_FILE
    try:
        with path.open("rb") as file:
            data = file.read(shape_file.MAX_SHAPE_FILE)
    except OSError:
        return None
    digest = hashlib.sha256(data).hexdigest()
    return ShapeFile(path=path, text=data.decode("utf-8-sig", "replace"), sha256=digest)


def read_shape(context: Context, project: Path) -> ShapeContents:
    """The content of SHAPE.md; its commands are not run until the user trusts the file."""
    found = load_shape_file(project)
    if found is None:
        return ShapeContents()
    said = shape_file.parse_shape_file(found.text)
    if not said.commands or read_trusted_hash(context.home, found.path) == found.sha256:
        return said
    words = tuple(f"`{command}` exits 0 (not run: not trusted)" for command in said.commands)
    return replace(said, commands=(), limits=(*said.limits, *words))


def apply_spec(context: Context, contract: Contract) -> Contract:
    """Adds SHAPE.md and the score to the contract; raises UserError if the spec is vague."""
    found = read_shape(context, Path(contract.project))
    claims = (*contract.claims, *_drop_known(found.claims, contract.claims))
    contract = replace(
        contract,
        claims=claims,
        must_not=tuple(dict.fromkeys((*contract.must_not, *found.commands))),
        limits=(*contract.limits, *found.limits),
    )
    scored = score_spec(contract.task, count_agreed_terms(contract))
    if scored.shape == "vague":
        raise vague_error(scored)
    gated = scored.shape == "colleague" and not skips_gates(contract.task)
    return replace(contract, score=scored.total, gated=gated)


def _drop_known(claims: tuple[Claim, ...], known: tuple[Claim, ...]) -> tuple[Claim, ...]:
    names = {claim.name for claim in known}
    return tuple(claim for claim in claims if claim.name not in names)


def count_agreed_terms(contract: Contract) -> AgreedTerms:
    return AgreedTerms(
        checks=len(contract.checks),
        claims=len(contract.claims),
        limits=len(contract.must_not) + len(contract.limits) + len(contract.allow),
    )


def vague_error(scored: Score) -> UserError:
    questions = " ".join(scored.questions)
    return UserError(
        f"the spec is vague: it scores {scored.total} of {MAX_SCORE},"
        f" and a loop needs {MIN_COLLEAGUE_SCORE}",
        hint=f"say in it: {questions}",
        exit_code=OUTCOMES["vague"].exit_code,
    )


def describe_start(context: Context, record: Record) -> tuple[str, ...]:
    """Lines for the user: what a loop from a spec agrees on, and where its state is."""
    if record.contract.preset != "loop":
        return ()
    return announce_start(record), _describe_state(context, record)


def _describe_state(context: Context, record: Record) -> str:
    contract = record.contract
    place = context.loops.get_folder(contract.id)
    until = "removed when it ends" if contract.clean else "kept when it ends"
    return (
        f"untildone: its state is in `{place}`, {until}; `untildone show {contract.id}` shows it,"
        f" `untildone cancel {contract.id}` ends it"
    )
