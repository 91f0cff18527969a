"""The ralph-loop plugin: a prompt, and a promise unless it runs without end."""

from untildone.features.importers.file_parsing import parse_front_matter
from untildone.features.importers.formats.loop_format import (
    ImportedLoop,
    Source,
    read_promises,
    read_rest,
)

PATHS = (".claude/ralph-loop.local.md",)
AT_STOPS = PATHS


def read(source: Source) -> ImportedLoop:
    fields, body = parse_front_matter(source.path, source.data)
    promises = read_promises(fields, "completion_promise")
    if not promises:
        fields.defaults.append("`completion_promise` is missing: the project's checks decide")
    return ImportedLoop(
        task=body,
        promises=promises,
        session=fields.text("session_id"),
        **read_rest(fields, rounds=0),
    )
