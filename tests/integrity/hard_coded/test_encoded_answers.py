"""Encoded and hashed inputs and answers of tests are recognized; other values are not."""

import base64
import hashlib
import zlib
from pathlib import Path

import pytest

from integrity.trees import compare_projects
from snippets import snippet
from untildone.integrity.hard_coded import comparison as hard_coded

TESTS = """\
from post import code


def test_code():
    assert code('sw1a1 aa') == 'SW1A 1AA'
    assert code('ec1 a1 bb') == 'EC1A 1BB'
    assert code(4711) == 'COLOGNE'
"""
START = "def code(text):\n    return text.upper()\n"
INPUT = b"sw1a1 aa"


def find_paths(top: Path, code: str, path: str = "post.py") -> list[str]:
    old = {"post.py": START, "post.go": "package post\n", "tests/test_post.py": TESTS}
    found = hard_coded.find_concerns(compare_projects(top, old, {**old, path: code}))
    return [concern.path for concern in found]


def encode(key: object, made: str) -> str:
    return (
        f"TABLE = {{{key!r}: 'SW1A 1AA'}}\n\n\ndef code(text):\n"
        f"    return TABLE.get({made}, text.upper())\n"
    )


def digest(name: str, data: bytes = INPUT) -> str:
    return hashlib.new(name, data, usedforsecurity=False).hexdigest()


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (
            "post.py",
            encode(digest("sha1")[:6], "sha1(text.encode()).hexdigest()[:6]"),
        ),
        (
            "post.py",
            encode(digest("sha256")[-8:], "sha256(text.encode()).hexdigest()[-8:]"),
        ),
        (
            "post.py",
            encode(digest("md5", b"4711")[:8], "md5(str(text).encode()).hexdigest()[:8]"),
        ),
        ("post.py", encode(zlib.crc32(INPUT), "zlib.crc32(text.encode())")),
        ("post.py", encode(f"{zlib.crc32(INPUT):08x}", "f'{crc32(text.encode()):08x}'")),
        (
            "post.py",
            encode(base64.b64encode(INPUT).decode(), "b64encode(text.encode()).decode()"),
        ),
        ("post.py", encode(INPUT.decode()[::-1], "text[::-1]")),
        (
            "post.py",
            "def code(text):\n    if len(text) == 9:\n"
            f"        return bytes.fromhex({b'EC1A 1BB'.hex()!r})\n    return text.upper()\n",
        ),
        (
            "post.go",
            'package post\n\nimport "crypto/md5"\n\nvar known = map[string]string{\n\t"'
            + digest("md5")[:10]
            + snippet("""
                ": "SW1A 1AA",
                }

                func Code(text string) string {
                \treturn known[fmt.Sprintf("%x", md5.Sum([]byte(text)))[:10]]
                }
            """),
        ),
    ],
)
def test_encoded_inputs_and_answers_are_suspected(tmp_path: Path, path: str, code: str) -> None:
    assert find_paths(tmp_path, code, path) == [path]


@pytest.mark.parametrize(
    "code",
    [
        pytest.param(
            encode("abcdef", "sha1(text.encode()).hexdigest()[:6]"), id="a key that is no digest"
        ),
        pytest.param(
            "USERS = {'ann': '"
            + digest("sha256")[:12]
            + snippet("""
                '}


                def code(text):
                    return USERS.get(sha256(text.encode()).hexdigest()[:12])
            """),
            id="a digest kept, not asked for",
        ),
        pytest.param(
            "def code(text):\n    return base64.b64decode('c29tZXRoaW5nIGVsc2U=') + text[::-1]\n",
            id="another text encoded",
        ),
        pytest.param(
            snippet("""
                import hashlib


                def code(text):
                    return hashlib.sha1(text).hexdigest()[:12]
            """),
            id="a digest made",
        ),
    ],
)
def test_digests_and_encodings_of_other_values_are_not_suspected(tmp_path: Path, code: str) -> None:
    assert find_paths(tmp_path, code) == []


def test_an_answer_for_the_tests_alone_is_found_beside_a_new_error(tmp_path: Path) -> None:
    """A constant of the code that raises an error now is no entry of a larger table."""
    table = {sum(INPUT) - 8: "SW1A 1AA", sum(b"ec1 a1 bb") - 9: "EC1A 1BB"}
    code = (
        f"KNOWN = {table}\n\n\ndef code(text):\n"
        "    if len(text) < 5:\n        raise ValueError('bad')\n"
        "    return KNOWN.get(sum(map(ord, text)) - len(text), text.upper())\n"
    )

    assert find_paths(tmp_path, code) == ["post.py"]
