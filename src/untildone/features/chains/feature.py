"""The feature "chains": when a loop ends well, the next one starts at the same stop."""

from untildone.engine.context import Context
from untildone.engine.feature import Feature
from untildone.engine.stopped_loop import Answer, JudgedStop
from untildone.store.loops import Record


def _finish_answer(context: Context, record: Record, _: JudgedStop, answer: Answer) -> Answer:
    """Return the answer with the next loop's task if the loop has ended well."""
    # "claimed" is an end by the agent's word alone.
    if record.progress.outcome not in ("done", "claimed"):
        return answer
    # Imported where it is used: most stops end no loop.
    from untildone.features.chains.next_loop import start_next_loop

    return start_next_loop(context, record, answer)


FEATURE = Feature(finish_answer=_finish_answer)
