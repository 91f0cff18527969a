"""A hidden check of the user: kept outside, run to confirm, and never revealed."""

import os
from pathlib import Path

import pytest

from integrity.trees import write_tree
from untildone.core.contract import Oracle
from untildone.core.evidence import Concern, ConcernKind
from untildone.errors import UserError
from untildone.integrity.experiments.oracle import make_oracle, run_oracle

SECRET = "import pathlib, sys\nsys.exit(pathlib.Path('answer').read_text() != '42')\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "project", {"answer": "41", "inside.py": SECRET})


@pytest.fixture
def oracle(tmp_path: Path, project: Path) -> Oracle:
    write_tree(tmp_path, {"secret.py": SECRET})
    return make_oracle(tmp_path / "secret.py", project)


def test_it_runs_where_the_work_is_and_reveals_nothing_of_itself(
    project: Path, oracle: Oracle
) -> None:
    reported = run_oracle(oracle, cwd=project, environ=os.environ)
    (project / "answer").write_text("42", encoding="utf-8")

    assert reported == Concern(
        id="oracle:hidden",
        kind=ConcernKind.ORACLE,
        path="hidden",
        detail="a hidden check of the user does not pass",
    )
    assert run_oracle(oracle, cwd=project, environ=os.environ) is None


def test_another_content_is_not_run(project: Path, oracle: Oracle) -> None:
    Path(oracle.path).write_text("", encoding="utf-8")
    reported = run_oracle(oracle, cwd=project, environ=os.environ)
    Path(oracle.path).unlink()
    gone = run_oracle(oracle, cwd=project, environ=os.environ)

    reason = "the hidden check of the user is gone or has changed since the start"
    assert [concern.detail for concern in (reported, gone) if concern] == [reason, reason]


@pytest.mark.skipif(os.name == "nt", reason="needs a mode that says what is a program")
def test_a_program_is_run_as_one(tmp_path: Path, project: Path) -> None:
    place = write_tree(tmp_path, {"judge": "#!/bin/sh\nexit 0\n"}) / "judge"
    with pytest.raises(UserError, match="cannot be run"):
        make_oracle(place, project)
    place.chmod(0o755)

    assert run_oracle(make_oracle(place, project), cwd=project, environ=os.environ) is None


def test_what_lies_inside_of_the_project_or_nowhere_is_refused(
    tmp_path: Path, project: Path
) -> None:
    (tmp_path / "way").symlink_to(project)
    for place in (project / "inside.py", tmp_path / "way" / "inside.py"):
        with pytest.raises(UserError, match="lies inside of the project"):
            make_oracle(place, project)
    with pytest.raises(UserError, match="is not a file"):
        make_oracle(tmp_path / "nowhere.py", project)
