"""The ralph-loop plugin: a prompt, and a promise unless it runs without end."""

from untildone.features.importers.formats.loop_format import (
    ImportedLoop,
    Source,
    split_alternatives,
)
from untildone.features.importers.formats.text import parse_front_matter

PATHS = (".claude/ralph-loop.local.md",)
AT_STOPS = PATHS


def read(source: Source) -> ImportedLoop:
    fields, body = parse_front_matter(source.path, source.data)
    promises = split_alternatives(fields.text("completion_promise"))
    if not promises:
        fields.defaults.append("`completion_promise` is missing: the project's checks decide")
    return ImportedLoop(
        task=body,
        count=fields.count("iteration", 1),
        rounds=fields.rounds("max_iterations", 0),
        promises=promises,
        active=fields.flag("active", True),
        session=fields.text("session_id"),
        defaults=tuple(fields.defaults),
        no_counterpart=fields.left_over(),
    )
