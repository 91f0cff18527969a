"""JikiME's diagnostic loop: counts that must be zero, or a completion marker."""

from untildone.features.importers.file_parsing import parse_json_object
from untildone.features.importers.formats.loop_format import (
    ImportedLoop,
    Source,
    list_differences,
)

PATHS = (".jikime/cache/.jikime_loop_state.json", ".jikime_loop_state.json")
AT_STOPS = PATHS
_COUNTS = {"zero_errors": True, "zero_warnings": False, "zero_security": False, "tests_pass": False}


def read(source: Source) -> ImportedLoop:
    fields = parse_json_object(source.path, source.data)
    criteria = fields.group("completion_criteria")
    zero = tuple(name for name, usual in _COUNTS.items() if criteria.flag(name, usual))
    targets = fields.texts("target_files")
    task = fields.text("task_description")
    # JikiME's id of the loop, not the client's session.
    fields.text("session_id")
    final_status = fields.text("final_status")
    return ImportedLoop(
        task=f"{task}\n\nWork on: {', '.join(targets)}" if targets else task,
        preset="fix",
        count=fields.count("iteration", 1),
        rounds=fields.rounds("max_iterations", 10),
        stagnation=criteria.count("stagnation_limit", 3),
        zero=zero,
        targets=targets,
        done_when="either",
        active=fields.flag("active", True) and not final_status,
        **list_differences(fields),
    )
