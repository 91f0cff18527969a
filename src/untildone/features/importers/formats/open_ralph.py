"""open-ralph-wiggum: a prompt and a promise around a headless agent."""

from untildone.features.importers.formats.loop_format import (
    ImportedLoop,
    Source,
    split_alternatives,
)
from untildone.features.importers.formats.text import parse_json_object

PATHS = (".ralph/ralph-loop.state.json",)
AT_STOPS: tuple[str, ...] = ()


def read(source: Source) -> ImportedLoop:
    fields = parse_json_object(source.path, source.data)
    promises = split_alternatives(fields.text("completionPromise"))
    if not promises:
        raise fields.make_error(
            "completionPromise", "is missing", hint="write the text that says it is done"
        )
    return ImportedLoop(
        task=fields.text("prompt"),
        count=fields.count("iteration", 1),
        rounds=fields.rounds("maxIterations", 0),
        promises=promises,
        active=fields.flag("active", True),
        defaults=tuple(fields.defaults),
        no_counterpart=fields.left_over(),
    )
