"""open-ralph-wiggum: a prompt and a promise around a headless agent."""

from untildone.features.importers.file_parsing import parse_json_object
from untildone.features.importers.formats.loop_format import (
    ImportedLoop,
    Source,
    read_promises,
    read_rest,
)

PATHS = (".ralph/ralph-loop.state.json",)
AT_STOPS: tuple[str, ...] = ()


def read(source: Source) -> ImportedLoop:
    fields = parse_json_object(source.path, source.data)
    return ImportedLoop(
        promises=read_promises(fields, "completionPromise", required=True),
        task=fields.text("prompt"),
        **read_rest(fields, rounds_key="maxIterations", rounds=0),
    )
