"""Stravinsky's continuation loop: the goal below the fields, and a promise that ends it.

---
iteration_count: 0
completion_promise: DONE
---
Fix the parser.
"""

from untildone.features.importers.file_parsing import parse_front_matter
from untildone.features.importers.formats import loop_format

PATHS = (".stravinsky/continuation-loop.md",)
AT_STOPS = PATHS


def read_loop(source: loop_format.Source) -> loop_format.ImportedLoop:
    fields, body = parse_front_matter(source.path, source.data)
    return loop_format.ImportedLoop(
        task=body,
        promises=loop_format.read_promises(fields, "completion_promise", required=True),
        active=fields.flag("active", True),
        # Stravinsky counts a stop before it judges it, so its count is 0 before the first stop.
        **loop_format.read_shared_fields(
            fields, counter_key="iteration_count", round_offset=0, rounds=10
        ),
    )
