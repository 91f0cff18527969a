"""Every hostile source in every language is read within the bounds of a stop."""

import sys
from pathlib import Path

import pytest

from integrity.hostile_runs import measure
from integrity.hostile_sources import LANGUAGES, SHAPES


# What counts is processor time: on a busy machine a second of it takes many.
@pytest.mark.timeout(900)
@pytest.mark.skipif(sys.platform != "linux", reason="the peak of memory is read from /proc")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_reading_keeps_its_bounds(tmp_path: Path, language: str, shape: str) -> None:
    seconds, megabytes = measure(tmp_path, language, shape, size=1_000_000, seed=1)
    assert seconds < 10.5
    assert megabytes < 256
