"""Inputs and answers of tests that the code holds as a digest, encoded or reversed."""

import base64
import codecs
import contextlib
import hashlib
import re
import zlib
from collections.abc import Iterator, Sequence

from untildone.integrity.hard_coded.answers import Answer
from untildone.integrity.hard_coded.literals import normalize_literal
from untildone.integrity.hard_coded.suite_literals import SuiteLiterals

_DIGEST = re.compile(r"'([0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})'")
# Long enough to be no coincidence; a checksum is a large number.
_PARTIAL_DIGEST = re.compile(r"'[0-9a-fA-F]{6,}'|\d{6,}|[\d.]{3,}e\+\d\d")
_HASHING_CODE = re.compile(r"(?i)md5|sha_?\d|blake|createHash|digest|Sum256|hasher|crc_?32|adler")
_DECODING_CODE = re.compile(
    r"(?i)b64|base64|fromhex|unhexlify|\batob\b|hex\.Decode|from_str_radix|rot.?13"
    r"|\[::-1\]|\breversed?\b|\.rev\(\)"
)
_ALGORITHMS = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "blake2s")
_MIN_LENGTH = 6


def describe_encoding(
    text: str, *, found: Sequence[Answer], new: frozenset[str], tests: SuiteLiterals
) -> str:
    """Describe how the code hides an input or an answer of the tests; "" if it does not."""
    if _HASHING_CODE.search(text):
        for each in found:
            if any(_DIGEST.fullmatch(key) for key in each.keys):
                return f"looks an input up by its hash (line {each.line})"
        if hashed := _describe_hashed_input(found, tests):
            return hashed
    return _describe_encoded_literal(new, tests.literals) if _DECODING_CODE.search(text) else ""


def _describe_hashed_input(found: Sequence[Answer], tests: SuiteLiterals) -> str:
    """Describe a key that is the digest of a test literal, or a part of the digest."""
    alike = [(key, each) for each in found for key in each.keys if _PARTIAL_DIGEST.fullmatch(key)]
    keyed = [(key, each) for key, each in alike if each.value in tests.literals]
    for given in sorted(tests.literals) if keyed else ():
        digests = _compute_digests(given.strip("'").encode(errors="replace"))
        for key, each in keyed:
            if any(_is_cut_of(key, one) for one in digests):
                return f"looks the input {given} of a test up by its hash (line {each.line})"
    return ""


def _compute_digests(data: bytes) -> list[str]:
    texts = [hashlib.new(name, data, usedforsecurity=False).hexdigest() for name in _ALGORITHMS]
    numbers = (zlib.crc32(data), zlib.adler32(data))
    return [
        *texts,
        *(f"{each:08x}" for each in numbers),
        *(normalize_literal(str(each)) or "" for each in numbers),
    ]


def _is_cut_of(key: str, whole: str) -> bool:
    written = key.strip("'").lower()
    return whole.startswith(written) or whole.endswith(written)


def _describe_encoded_literal(new: frozenset[str], known: frozenset[str]) -> str:
    for each in sorted(new - known):
        form = each[1:-1] if each.startswith("'") else ""
        for plain in _decode(form):
            # Decoders accept texts that no encoder writes.
            if len(plain) >= _MIN_LENGTH and f"'{plain}'" in known and form in _encode(plain):
                return f"contains {plain!r} of a test, encoded as {each}"
    return ""


def _decode(form: str) -> Iterator[str]:
    yield form[::-1]
    yield codecs.encode(form, "rot13")
    padded = form + "=" * (-len(form) % 8)
    for decode in (base64.b64decode, base64.urlsafe_b64decode, base64.b32decode, bytes.fromhex):
        with contextlib.suppress(ValueError):
            yield decode(form if decode == bytes.fromhex else padded).decode()


def _encode(value: str) -> Iterator[str]:
    data = value.encode(errors="replace")
    for form in (base64.b64encode(data), base64.urlsafe_b64encode(data), base64.b32encode(data)):
        yield form.decode()
        yield form.decode().rstrip("=")
    yield data.hex()
    yield value[::-1]
    yield codecs.encode(value, "rot13")
