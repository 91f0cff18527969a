"""The score of a loop's spec: when the loop is agreed on, and when the agent scores it."""

from pathlib import Path

from msgspec.structs import replace

from untildone.core.contract import Amendment, Contract
from untildone.core.progress import Progress
from untildone.core.verdict import OUTCOMES
from untildone.engine.context import Context
from untildone.engine.verbs import change_loop, require_unfinished
from untildone.errors import UserError
from untildone.features.spec.gates import skips_gates
from untildone.features.spec.rubric import (
    MAX_SCORE,
    MIN_COLLEAGUE_SCORE,
    AgreedTerms,
    Dimension,
    Opinion,
    Score,
    score_spec,
)
from untildone.features.spec.shape_file import read_trusted_shape
from untildone.store.loops import Record


def apply_spec(context: Context, contract: Contract) -> Contract:
    """Adds SHAPE.md and the score to the contract; raises UserError if the spec is vague."""
    shape = read_trusted_shape(context, Path(contract.project))
    names = {claim.name for claim in contract.claims}
    contract = replace(
        contract,
        claims=(*contract.claims, *(claim for claim in shape.claims if claim.name not in names)),
        must_not=tuple(dict.fromkeys((*contract.must_not, *shape.commands))),
        limits=(*contract.limits, *shape.limits),
    )
    score = score_spec(contract.task, _count_terms(contract))
    if score.shape == "vague":
        raise UserError(
            f"the spec is vague: it scores {score.total} of {MAX_SCORE},"
            f" and a loop needs {MIN_COLLEAGUE_SCORE}",
            hint=f"say in it: {' '.join(score.questions)}",
            exit_code=OUTCOMES["vague"].exit_code,
        )
    gated = score.shape == "colleague" and not skips_gates(contract.task)
    return replace(contract, score=score.total, gated=gated)


def score_loop(context: Context, record: Record, opinions: dict[Dimension, Opinion]) -> Score:
    """The agent's opinions of a running loop's spec can add gates but never remove them."""
    contract = record.agreed
    score = score_spec(contract.task, _count_terms(contract), opinions)
    freed = any(amendment.gated is False for amendment in record.progress.amendments)
    asks = score.shape != "tool" and not (freed or skips_gates(contract.task))
    if contract.preset != "loop" or contract.gated or not asks or not opinions:
        return score

    def edit(now: Record) -> Progress:
        progress = require_unfinished(now)
        amendment = Amendment(by="agent", at=context.now(), gated=True)
        return replace(progress, amendments=(*progress.amendments, amendment))

    change_loop(context, contract.id, edit, kind="scored", total=score.total)
    return score


def _count_terms(contract: Contract) -> AgreedTerms:
    return AgreedTerms(
        checks=len(contract.checks),
        claims=len(contract.claims),
        limits=len(contract.must_not) + len(contract.limits) + len(contract.allow),
    )
