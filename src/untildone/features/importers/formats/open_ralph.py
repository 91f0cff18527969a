"""open-ralph-wiggum: an agent gets a prompt again and again until it says a promise.

{"prompt": "Fix the parser", "completionPromise": "DONE", "maxIterations": 20}
"""

from untildone.features.importers.file_parsing import parse_json_object
from untildone.features.importers.formats import loop_format

PATHS = (".ralph/ralph-loop.state.json",)
AT_STOPS: tuple[str, ...] = ()


def read_loop(source: loop_format.Source) -> loop_format.ImportedLoop:
    fields = parse_json_object(source.path, source.data)
    return loop_format.ImportedLoop(
        promises=loop_format.read_promises(fields, "completionPromise", required=True),
        task=fields.text("prompt"),
        active=fields.flag("active", True),
        **loop_format.read_shared_fields(fields, rounds_key="maxIterations", rounds=0),
    )
