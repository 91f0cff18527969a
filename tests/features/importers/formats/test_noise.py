"""Whatever bytes a file holds, it is read as a loop or reported as a mistake."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.importers.formats import samples
from features.importers.formats.samples import read
from untildone.errors import UserError
from untildone.features.importers.followed_file import replace_count
from untildone.features.importers.formats import LOOP_FORMATS

PATHS = sorted(path for dialect in LOOP_FORMATS.values() for path in dialect.PATHS)
SAMPLES = [text.encode() for name, text in vars(samples).items() if name.isupper()]
PIECES = st.sampled_from(
    [
        b"---\n",
        b"iteration: ",
        b"{",
        b"}",
        b'"',
        b": ",
        b"&a ",
        b"*a",
        b"!!int ",
        b"|\n",
        b"\\U",
        b"%YAML 1.",
        b"- ",
        b"? ",
    ]
)
NOISE = st.one_of(
    st.binary(max_size=300),
    st.lists(st.one_of(PIECES, st.binary(max_size=4)), max_size=30).map(b"".join),
    st.lists(PIECES, max_size=30).map(lambda parts: b"---\n" + b"".join(parts) + b"\n---\nbody"),
)


@pytest.mark.parametrize("path", PATHS)
@given(noise=NOISE)
def test_any_bytes_are_a_loop_or_a_mistake(path: str, noise: bytes) -> None:
    with suppress(UserError):
        read(path, noise, {"a": "{}"})


@given(
    sample=st.sampled_from(SAMPLES),
    at=st.integers(0, 400),
    noise=NOISE,
    path=st.sampled_from(PATHS),
)
def test_a_file_with_noise_in_it_is_a_loop_or_a_mistake(
    sample: bytes, at: int, noise: bytes, path: str
) -> None:
    with suppress(UserError):
        read(path, sample[:at] + noise + sample[at:])


@given(sample=st.sampled_from(SAMPLES), at=st.integers(0, 400), noise=NOISE)
def test_counting_never_fails_and_can_be_undone(sample: bytes, at: int, noise: bytes) -> None:
    data = sample[:at] + noise + sample[at:]
    first = replace_count(data, "iteration", 0)

    assert replace_count(replace_count(data, "iteration", 5), "iteration", 0) == first
