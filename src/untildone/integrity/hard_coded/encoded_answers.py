"""Describes inputs and answers of tests that the code contains as a digest, encoded or reversed.

`if md5(text) == "9e107d9d…": return 42` looks a test input up by its hash; `b64decode("aGVsbG8=")`
hides the literal `hello` of a test.
"""

import base64
import codecs
import hashlib
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress

from untildone.core.late_patterns import compile_late
from untildone.integrity.comparison import Comparison
from untildone.integrity.hard_coded.answers import Answer
from untildone.integrity.hard_coded.literals import normalize_literal

# Digests of MD5, SHA-1 and SHA-256.
_DIGEST = compile_late(r"'([0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})'")
# A part of a digest, or a checksum, long enough to be no coincidence: 'a1b2c3', 907060870
_PARTIAL_DIGEST = compile_late(r"'[0-9a-fA-F]{6,}'|\d{6,}")
_HASHING_CODE = compile_late(r"(?i)md5|sha_?\d|blake|createHash|digest|Sum256|hasher|crc_?32|adler")
_DECODING_CODE = compile_late(
    r"(?i)b64|base64|fromhex|unhexlify|\batob\b|hex\.Decode|from_str_radix|rot.?13"
    r"|\[::-1\]|\breversed?\b|\.rev\(\)"
)
_ALGORITHMS = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "blake2s")
# A shorter string may be in a test by coincidence.
_MIN_LENGTH = 6


def describe_encoding(
    comparison: Comparison,
    path: str,
    *,
    answers: Sequence[Answer],
    new_literals: frozenset[str],
    suite_literals: frozenset[str],
) -> str:
    """Describe how the file hides an input or an answer of the tests; "" if it does not."""
    text = comparison.new.text(path)
    description = ""
    if _HASHING_CODE.search(text):
        description = _describe_hashed_input(answers, suite_literals)
    if not description and _DECODING_CODE.search(text):
        description = _describe_encoded_literal(new_literals, suite_literals)
    return f"`{path}` {description}" if description else ""


def _describe_hashed_input(answers: Sequence[Answer], suite_literals: frozenset[str]) -> str:
    """Describe an answer whose key is a digest, or a part of the digest of a test literal."""
    for answer in answers:
        if any(map(_DIGEST.fullmatch, answer.keys)):
            return f"looks an input up by its hash (line {answer.line})"
    candidates = [
        (key.strip("'").lower(), answer)
        for answer in answers
        for key in answer.keys
        if _PARTIAL_DIGEST.fullmatch(key) and answer.value in suite_literals
    ]
    for literal in sorted(suite_literals) if candidates else ():
        digests = _compute_digests(literal.strip("'").encode(errors="replace"))
        for key, answer in candidates:
            if any(digest.startswith(key) or digest.endswith(key) for digest in digests):
                return f"looks the input {literal} of a test up by its hash (line {answer.line})"
    return ""


def _compute_digests(data: bytes) -> list[str]:
    """Return the digests in hexadecimal, and the checksums as numbers too."""
    checksums = (zlib.crc32(data), zlib.adler32(data))
    return [
        *(hashlib.new(name, data, usedforsecurity=False).hexdigest() for name in _ALGORITHMS),
        *(f"{checksum:08x}" for checksum in checksums),
        *(normalize_literal(str(checksum)) or "" for checksum in checksums),
    ]


def _describe_encoded_literal(new_literals: frozenset[str], suite_literals: frozenset[str]) -> str:
    """Describe a new string of the code that is an encoded string of the tests; "" without one."""
    for literal in sorted(new_literals - suite_literals):
        encoded = literal[1:-1] if literal.startswith("'") else ""
        for plain in _decode(encoded):
            is_tested = len(plain) >= _MIN_LENGTH and f"'{plain}'" in suite_literals
            # Decoders accept texts that no encoder writes.
            if is_tested and encoded in _encode(plain):
                return f"contains {plain!r} of a test, encoded as {literal}"
    return ""


def _decode(encoded: str) -> Iterator[str]:
    """Yield what the string may stand for: reversed, and decoded in every way that succeeds."""
    yield encoded[::-1]
    yield codecs.encode(encoded, "rot13")
    with_padding = encoded + "=" * (-len(encoded) % 8)
    for decode in (base64.b64decode, base64.urlsafe_b64decode, base64.b32decode, bytes.fromhex):
        with suppress(ValueError):
            yield decode(encoded if decode == bytes.fromhex else with_padding).decode()


def _encode(plain: str) -> Iterator[str]:
    """Yield every form in which code may hide the string."""
    data = plain.encode(errors="replace")
    for form in (base64.b64encode(data), base64.urlsafe_b64encode(data), base64.b32encode(data)):
        yield form.decode()
        yield form.decode().rstrip("=")
    yield data.hex()
    yield plain[::-1]
    yield codecs.encode(plain, "rot13")
