"""Inputs and answers of tests that the code holds as a digest, encoded or reversed.

`if md5(text) == "9e107d9d…": return 42` looks a test input up by its hash; `b64decode("aGVsbG8=")`
hides the literal `hello` of a test.
"""

import base64
import codecs
import contextlib
import hashlib
import re
import zlib
from collections.abc import Iterator, Sequence

from untildone.integrity.hard_coded.answers import Answer
from untildone.integrity.hard_coded.literals import normalize_literal

_DIGEST = re.compile(r"'([0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})'")
# Long enough to be no coincidence; a checksum is a large number.
_PARTIAL_DIGEST = re.compile(r"'[0-9a-fA-F]{6,}'|\d{6,}|[\d.]{3,}e\+\d\d")
_HASHING_CODE = re.compile(r"(?i)md5|sha_?\d|blake|createHash|digest|Sum256|hasher|crc_?32|adler")
_DECODES = re.compile(
    r"(?i)b64|base64|fromhex|unhexlify|\batob\b|hex\.Decode|from_str_radix|rot.?13"
    r"|\[::-1\]|\breversed?\b|\.rev\(\)"
)
_ALGORITHMS = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "blake2s")
_MIN_LENGTH = 6


def describe_encoding(
    text: str,
    *,
    answers: Sequence[Answer],
    new_literals: frozenset[str],
    suite_literals: frozenset[str],
) -> str:
    """Describe how the code hides an input or an answer of the tests; "" if it does not."""
    if _HASHING_CODE.search(text):
        for answer in answers:
            if any(map(_DIGEST.fullmatch, answer.keys)):
                return f"looks an input up by its hash (line {answer.line})"
        if hashed := _describe_hashed_input(answers, suite_literals):
            return hashed
    return _describe_encoded_literal(new_literals, suite_literals) if _DECODES.search(text) else ""


def _describe_hashed_input(answers: Sequence[Answer], suite_literals: frozenset[str]) -> str:
    """Describe a key that is the digest of a test literal, or a part of the digest."""
    keyed = [
        (key.strip("'").lower(), answer)
        for answer in answers
        for key in answer.keys
        if _PARTIAL_DIGEST.fullmatch(key) and answer.value in suite_literals
    ]
    for literal in sorted(suite_literals) if keyed else ():
        digests = _compute_digests(literal.strip("'").encode(errors="replace"))
        for key, answer in keyed:
            if any(digest.startswith(key) or digest.endswith(key) for digest in digests):
                return f"looks the input {literal} of a test up by its hash (line {answer.line})"
    return ""


def _compute_digests(data: bytes) -> list[str]:
    numbers = (zlib.crc32(data), zlib.adler32(data))
    return [
        *(hashlib.new(name, data, usedforsecurity=False).hexdigest() for name in _ALGORITHMS),
        *(f"{number:08x}" for number in numbers),
        *(normalize_literal(str(number)) or "" for number in numbers),
    ]


def _describe_encoded_literal(new_literals: frozenset[str], suite_literals: frozenset[str]) -> str:
    for literal in sorted(new_literals - suite_literals):
        form = literal[1:-1] if literal.startswith("'") else ""
        for plain in _decode(form):
            is_known = len(plain) >= _MIN_LENGTH and f"'{plain}'" in suite_literals
            # Decoders accept texts that no encoder writes.
            if is_known and form in _encode(plain):
                return f"contains {plain!r} of a test, encoded as {literal}"
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
