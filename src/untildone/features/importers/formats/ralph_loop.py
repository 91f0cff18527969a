"""The ralph-loop plugin: a prompt below the fields, and a promise unless it runs without end.

---
completion_promise: DONE
---
Fix the parser.
"""

from untildone.features.importers.file_parsing import parse_front_matter
from untildone.features.importers.formats import loop_format

PATHS = (".claude/ralph-loop.local.md",)
AT_STOPS = PATHS


def read_loop(source: loop_format.Source) -> loop_format.ImportedLoop:
    fields, body = parse_front_matter(source.path, source.data)
    promises = loop_format.read_promises(fields, "completion_promise")
    if not promises:
        fields.defaults.append("`completion_promise` is missing: the project's checks decide")
    return loop_format.ImportedLoop(
        task=body,
        promises=promises,
        session=fields.text("session_id"),
        active=fields.flag("active", True),
        **loop_format.read_shared_fields(fields, rounds=0),
    )
