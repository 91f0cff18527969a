"""The agent's score of a running loop's spec, which can add gates but never remove them."""

from msgspec.structs import replace

from untildone.core.contract import Amendment
from untildone.core.progress import Progress
from untildone.core.spec.gates import skips_gates
from untildone.core.spec.rubric import Dimension, Opinion, Score, score_spec
from untildone.engine.context import Context
from untildone.engine.verbs import change_loop, require_unfinished
from untildone.features.spec.start import count_agreed_terms
from untildone.store.loops import Record


def score_loop(context: Context, record: Record, opinions: dict[Dimension, Opinion]) -> Score:
    contract = record.agreed
    found = score_spec(contract.task, count_agreed_terms(contract), opinions)
    freed = any(amendment.gated is False for amendment in record.progress.amendments)
    asks = found.shape != "tool" and not (freed or skips_gates(contract.task))
    if contract.preset != "loop" or contract.gated or not asks or not opinions:
        return found

    def edit(now: Record) -> Progress:
        progress = require_unfinished(now)
        amendment = Amendment(by="agent", at=context.now(), gated=True)
        return replace(progress, amendments=(*progress.amendments, amendment))

    change_loop(context, contract.id, edit, kind="scored", total=found.total)
    return found
