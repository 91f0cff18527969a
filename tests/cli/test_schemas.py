"""The published JSON Schemas."""

from pathlib import Path

import pytest

from untildone.cli import schemas


@pytest.mark.parametrize("name", schemas.build_schemas())
def test_the_published_schemas_are_those_of_the_types(name: str) -> None:
    folder = Path(schemas.__file__).parents[1] / "schemas"

    shipped = folder.joinpath(name).read_text(encoding="utf-8")

    assert shipped == schemas.build_schemas()[name], (
        "run `python -m untildone.cli.schemas src/untildone/schemas`"
    )


def test_schemas_are_written(tmp_path: Path) -> None:
    schemas.write_schemas(tmp_path / "new")

    assert {path.name for path in (tmp_path / "new").iterdir()} == set(schemas.build_schemas())
