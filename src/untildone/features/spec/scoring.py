"""Scores the spec of a `/loop` and decides whether the loop stops at gates.

The score of 0 to 10 gives a grade. A "tool" spec (8 and more) is clear: the loop works silently.
A "colleague" spec (5 to 7) leaves questions open: the loop has gates. A "vague" spec (less than 5)
starts no loop. At a gate the loop pauses and asks the user, for example after the steps are known
or after each round; a contract with gates is `gated`.
"""

from pathlib import Path

from msgspec.structs import replace

from untildone.core.contract import Amendment, Contract
from untildone.core.progress import Progress
from untildone.core.verdict import OUTCOMES
from untildone.engine.context import Context
from untildone.engine.verbs import change_loop, require_unfinished
from untildone.errors import UserError
from untildone.features.spec import rubric
from untildone.features.spec.gates import skips_gates
from untildone.features.spec.shape_file import read_trusted_shape
from untildone.store.loops import Record

# The preset of loops that are started from a spec; other presets have no score and no gates.
_SPEC_PRESET = "loop"


def apply_spec(context: Context, contract: Contract) -> Contract:
    """Return the contract with the terms of SHAPE.md, the score of its spec, and gates if needed.

    Raises UserError if the spec is vague.
    """
    shape_file = read_trusted_shape(context, Path(contract.project))
    names = {claim.name for claim in contract.claims}
    new_claims = (claim for claim in shape_file.claims if claim.name not in names)
    contract = replace(
        contract,
        claims=(*contract.claims, *new_claims),
        must_not=tuple(dict.fromkeys((*contract.must_not, *shape_file.commands))),
        limits=(*contract.limits, *shape_file.limits),
    )
    score = rubric.score_spec(contract.task, _count_terms(contract))
    if score.grade == "vague":
        raise UserError(
            f"the spec is vague: it scores {score.total} of {rubric.MAX_SCORE},"
            f" and a loop needs {rubric.MIN_COLLEAGUE_SCORE}",
            hint=f"say in it: {' '.join(score.questions)}",
            exit_code=OUTCOMES["vague"].exit_code,
        )
    gated = score.grade == "colleague" and not skips_gates(contract.task)
    return replace(contract, score=score.total, gated=gated)


def score_loop(
    context: Context, record: Record, opinions: dict[rubric.Dimension, rubric.Opinion]
) -> rubric.Score:
    """Score the spec of a running loop again, now with the agent's opinions; return the score.

    If the agent finds the spec less clear than we did, the loop gets gates. An agent's high opinion
    never removes gates.
    """
    contract = record.agreed
    score = rubric.score_spec(contract.task, _count_terms(contract), opinions)
    if not opinions or score.grade == "tool" or not _may_add_gates(record):
        return score

    def add_gates(now: Record) -> Progress:
        progress = require_unfinished(now)
        amendment = Amendment(by="agent", at=context.now(), gated=True)
        return replace(progress, amendments=(*progress.amendments, amendment))

    change_loop(context, contract.id, add_gates, kind="scored", total=score.total)
    return score


def _may_add_gates(record: Record) -> bool:
    """Say whether this is a spec loop without gates whose user did not refuse gates."""
    contract = record.agreed
    if contract.preset != _SPEC_PRESET or contract.gated:
        return False
    # The user answered a gate with "proceed without confirmation".
    gates_removed = any(amendment.gated is False for amendment in record.progress.amendments)
    return not gates_removed and not skips_gates(contract.task)


def _count_terms(contract: Contract) -> rubric.AgreedTerms:
    """Return how many criteria and constraints the contract has besides the text of its task."""
    return rubric.AgreedTerms(
        checks=len(contract.checks),
        claims=len(contract.claims),
        limits=len(contract.must_not) + len(contract.limits) + len(contract.allow),
    )
