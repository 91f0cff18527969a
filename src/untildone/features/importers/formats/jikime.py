"""JikiME's diagnostic loop: counts that must be zero, or a completion marker.

{"task_description": "Fix the parser", "iteration": 2, "max_iterations": 10,
 "completion_criteria": {"zero_errors": true, "tests_pass": true}}
"""

from untildone.features.importers.file_parsing import parse_json_object
from untildone.features.importers.formats import loop_format

PATHS = (".jikime/cache/.jikime_loop_state.json", ".jikime_loop_state.json")
AT_STOPS = PATHS
# The counts that JikiME knows, and whether one must be zero if the file does not say.
_ZERO_COUNTS = {
    "zero_errors": True,
    "zero_warnings": False,
    "zero_security": False,
    "tests_pass": False,
}


def read_loop(source: loop_format.Source) -> loop_format.ImportedLoop:
    fields = parse_json_object(source.path, source.data)
    criteria = fields.group("completion_criteria")
    targets = fields.texts("target_files")
    task = fields.text("task_description")
    # Read but ignored: it is JikiME's id of the loop, not the client's session.
    fields.text("session_id")
    final_status = fields.text("final_status")
    return loop_format.ImportedLoop(
        task=f"{task}\n\nWork on: {', '.join(targets)}" if targets else task,
        preset="fix",
        stagnation=criteria.count("stagnation_limit", 3),
        zero_counts=tuple(
            name for name, default in _ZERO_COUNTS.items() if criteria.flag(name, default)
        ),
        targets=targets,
        done_when="either",
        active=fields.flag("active", True) and not final_status,
        **loop_format.read_shared_fields(fields, rounds=10),
    )
