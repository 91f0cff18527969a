"""smart-ralph: works through a `tasks.md` until the agent says a fixed promise."""

from untildone.features.importers.file_parsing import parse_json_object
from untildone.features.importers.formats.loop_format import (
    ImportedLoop,
    Source,
    list_differences,
)

PATHS = ("specs/*/.ralph-state.json", ".ralph-state.json")
AT_STOPS = PATHS


def read(source: Source) -> ImportedLoop:
    fields = parse_json_object(source.path, source.data)
    place = fields.text("basePath") or source.path.rpartition("/")[0]
    name = fields.text("name") or place.rpartition("/")[2] or "this spec"
    return ImportedLoop(
        task=(
            f"Carry out every task of `{f'{place}/tasks.md'.lstrip('/')}` ({name}), one after"
            " another, and check each off there."
        ),
        counter_key="globalIteration",
        count=fields.count("globalIteration", 1),
        rounds=fields.rounds("maxGlobalIterations", 100),
        promises=("ALL_TASKS_COMPLETE",),
        # In the earlier phases the user writes requirements, design and tasks.
        active=fields.text("phase") in ("", "execution"),
        **list_differences(fields),
    )
