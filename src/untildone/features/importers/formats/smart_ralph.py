"""smart-ralph: the agent works through a `tasks.md` until it says `ALL_TASKS_COMPLETE`.

{"name": "parser", "basePath": "specs/parser", "phase": "execution", "globalIteration": 2}
"""

from untildone.features.importers.file_parsing import parse_json_object
from untildone.features.importers.formats import loop_format

PATHS = ("specs/*/.ralph-state.json", ".ralph-state.json")
AT_STOPS = PATHS


def read_loop(source: loop_format.Source) -> loop_format.ImportedLoop:
    fields = parse_json_object(source.path, source.data)
    folder = fields.text("basePath") or source.path.rpartition("/")[0]
    name = fields.text("name") or folder.rpartition("/")[2] or "this spec"
    tasks_file = f"{folder}/tasks.md".lstrip("/")
    return loop_format.ImportedLoop(
        task=(
            f"Carry out every task of `{tasks_file}` ({name}), one after another, and check each"
            " off there."
        ),
        promises=("ALL_TASKS_COMPLETE",),
        # In the earlier phases the user writes requirements, design and tasks.
        active=fields.text("phase") in ("", "execution"),
        **loop_format.read_shared_fields(
            fields, counter_key="globalIteration", rounds_key="maxGlobalIterations", rounds=100
        ),
    )
