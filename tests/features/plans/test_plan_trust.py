"""What a plan would run is trusted as it is; how far its tasks are does not matter."""

from pathlib import Path

from msgspec.structs import replace

from features.plans.samples import document, plan, task
from untildone.app import open_context
from untildone.features.plans.task_checks import is_trusted, trust_plan


def test_trust_is_in_the_commands(tmp_path: Path) -> None:
    found = open_context({}, home=str(tmp_path / "home"))
    path = document(tmp_path).path
    agreed = plan(A=task(testing=("npm test",)))
    assert not is_trusted(found, path, agreed)

    trust_plan(found, path, agreed)

    done = replace(agreed, tasks={"A": task(testing=("npm test",), status="completed")})
    other = replace(agreed, tasks={"A": task(testing=("npm run evil",))})
    allowed = replace(agreed, tasks={"A": task(testing=("npm test",), allow=("config:a",))})
    seen = [
        is_trusted(found, path, each) for each in (agreed, done, other, allowed, plan(A=task()))
    ]
    assert seen == [True, True, False, False, True]
