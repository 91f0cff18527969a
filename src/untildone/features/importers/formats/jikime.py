"""JikiME's diagnostic loop: counts that must be zero, or a completion marker.

{"task_description": "Fix the parser", "iteration": 2, "max_iterations": 10,
 "completion_criteria": {"zero_errors": true, "tests_pass": true}}
"""

from untildone.core.check_results import Totals
from untildone.features.importers.fields import Fields
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


_MAX_SNAPSHOTS = 50


def _read_snapshot(fields: Fields) -> loop_format.Snapshot:
    """Return what JikiME counted in one iteration; passed tests are those that did not fail."""
    failed = fields.count("tests_failed", 0)
    return loop_format.Snapshot(
        number=fields.count("iteration", 0),
        at=fields.text("timestamp"),
        totals=Totals(
            errors=fields.count("error_count", 0),
            warnings=fields.count("warning_count", 0),
            infos=fields.count("info_count", 0),
            security=fields.count("security_issues", 0),
            passed=max(0, fields.count("tests_run", 0) - failed),
            failed=failed,
        ),
    )


def read_loop(source: loop_format.Source) -> loop_format.ImportedLoop:
    fields = parse_json_object(source.path, source.data)
    criteria = fields.group("completion_criteria")
    targets = fields.texts("target_files")
    task = fields.text("task_description")
    # Read but ignored: it is JikiME's id of the loop, not the client's session.
    fields.text("session_id")
    final_status = fields.text("final_status")
    snapshots = tuple(map(_read_snapshot, fields.groups("snapshots")[-_MAX_SNAPSHOTS:]))
    return loop_format.ImportedLoop(
        task=f"{task}\n\nWork on: {', '.join(targets)}" if targets else task,
        preset="fix",
        stagnation=criteria.count("stagnation_limit", 3),
        zero_counts=tuple(
            name for name, default in _ZERO_COUNTS.items() if criteria.flag(name, default)
        ),
        targets=targets,
        snapshots=snapshots,
        done_when="either",
        active=fields.flag("active", True) and not final_status,
        **loop_format.read_shared_fields(fields, rounds=10),
    )
