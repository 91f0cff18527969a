"""A queue in the state folder of a world, with tasks of several states and a worker."""

import msgspec
import sqlalchemy as sa

from untildone.engine.request import StartOptions
from untildone.runs.queue.address import find_url
from untildone.runs.queue.database import open_database
from untildone.runs.queue.lease import Identity, Lease
from untildone.runs.queue.task_queue import TaskQueue
from untildone.runs.queue.values import Course, NewTask
from world import World

REPOSITORY = "git@example.org:team/app.git"


class FilledQueue:
    def __init__(self, world: World) -> None:
        context = world.context
        url = find_url("", home=context.home, environ={})
        self._engine = open_database(url)
        self.queue = TaskQueue(self._engine, context.now)
        worker = Identity(
            id="build-1", host="build", pid=1, agents=("claude",), labels=("gpu",), jobs=2
        )
        self.lease = Lease(self._engine, worker, seconds=60, now=context.now)
        self.lease.register()

    def add(self, text: str, **fields: object) -> str:
        task = {"repository": REPOSITORY, "options": StartOptions(task=text), **fields}
        return self.queue.add([msgspec.convert(task, NewTask, from_attributes=True)])[0]

    def take(self, reason: str = "") -> str:
        """Take the next task and record a step; end it if there is a reason."""
        task = self.lease.take(lambda _route: True)
        assert task
        self.lease.record(task, "fetch", detail="from the origin")
        if reason:
            self.lease.finish(task, Course(outcome="blocked", reason=reason, receipt="# Receipt"))
        return task.id

    def execute(self, statement: sa.Executable) -> None:
        with self._engine.begin() as connection:
            connection.execute(statement)

    def close(self) -> None:
        self._engine.dispose()
