"""Stravinsky's continuation loop: a promise, with the goal below it."""

from untildone.features.importers.formats.loop_format import (
    ImportedLoop,
    Source,
    split_alternatives,
)
from untildone.features.importers.formats.text import parse_front_matter

PATHS = (".stravinsky/continuation-loop.md",)
AT_STOPS = PATHS


def read(source: Source) -> ImportedLoop:
    fields, body = parse_front_matter(source.path, source.data)
    promises = split_alternatives(fields.text("completion_promise"))
    if not promises:
        raise fields.make_error(
            "completion_promise", "is missing", hint="write the text that says it is done"
        )
    return ImportedLoop(
        task=body,
        counter="iteration_count",
        count=fields.count("iteration_count", 0),
        # Stravinsky counts a stop before it judges it.
        first=0,
        rounds=fields.rounds("max_iterations", 10),
        promises=promises,
        active=fields.flag("active", True),
        defaults=tuple(fields.defaults),
        no_counterpart=fields.left_over(),
    )
