"""Stravinsky's continuation loop: a promise, with the goal below it."""

from untildone.features.importers.file_parsing import parse_front_matter
from untildone.features.importers.formats.loop_format import (
    ImportedLoop,
    Source,
    read_promises,
    read_rest,
)

PATHS = (".stravinsky/continuation-loop.md",)
AT_STOPS = PATHS


def read(source: Source) -> ImportedLoop:
    fields, body = parse_front_matter(source.path, source.data)
    return ImportedLoop(
        task=body,
        promises=read_promises(fields, "completion_promise", required=True),
        # Stravinsky counts a stop before it judges it.
        **read_rest(fields, counter_key="iteration_count", round_offset=0, rounds=10),
    )
