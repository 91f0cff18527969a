"""dbos: it runs the steps of tasks in threads of its own and records their results."""

from collections.abc import Callable

import sqlalchemy as sa
from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, SetWorkflowID

# Workflows of other versions of the list of steps are left alone.
_STEPS_VERSION = "1"
# How often it looks for workflows that were resumed; new ones are started directly.
_LOOK_SECONDS = 1.0
# As many connections as it would open itself.
CONNECTIONS = 20


class Workflows:
    """The workflows of one worker; `run` does a task, by its name, and returns its result."""

    def __init__(
        self, url: str, engine: sa.Engine, *, worker: str, run: Callable[[str], str]
    ) -> None:
        # Nobody else listens to it.
        self._queue = f"worker-{worker}"
        config: DBOSConfig = {
            "name": "untildone",
            "system_database_url": url,
            "system_database_engine": engine,
            "executor_id": worker,
            "application_version": _STEPS_VERSION,
            "run_migrations": False,
            # Others' rows must not be read by a format that can run code.
            "serializer": DBOSPortableJSONSerializer(),
            "log_level": "CRITICAL",
        }
        DBOS(config=config)

        # dbos takes no method.
        @DBOS.workflow(name="untildone_task")
        def run_task(task: str) -> str:
            return run(task)

        self._run = run_task
        DBOS.listen_queues([self._queue])
        DBOS.launch()
        DBOS.register_queue(self._queue, polling_interval_sec=_LOOK_SECONDS)

    def start(self, workflow: str, task: str) -> bool:
        """Start the workflow, or resume the one that another worker left; False if it has ended."""
        status = DBOS.get_workflow_status(workflow)
        if status is None:
            with SetWorkflowID(workflow):
                DBOS.start_workflow(self._run, task)
        elif status.status in ("SUCCESS", "ERROR"):
            return False
        else:
            DBOS.resume_workflow(workflow, queue_name=self._queue)
        return True

    def record(self, name: str, step: Callable[[], str]) -> str:
        """Run a step of the workflow in whose thread we are, unless its result is recorded."""
        return DBOS.run_step({"name": name}, step)

    def forget_queue(self) -> None:
        DBOS.delete_queue(self._queue)

    def close(self) -> None:
        DBOS.destroy(destroy_registry=True)
