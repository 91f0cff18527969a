"""Imports of a Go file whose functions got other bodies: Go compiles no file with an unused one."""

from re import Match

from untildone.core.late_patterns import compile_late

# What follows the imports.
_DECLARATION = compile_late(r"(?m)^(?:func|type|var|const)\b")
#     yaml "gopkg.in/yaml.v3"
# import "math"
_IMPORT = compile_late(
    r'(?m)^(?P<before>[ \t]*(?:import[ \t]+\(?[ \t]*)?)(?P<alias>\w+[ \t]+)?(?P<path>"[^"\n]+")'
)
# github.com/shop/go-fares/v2, gopkg.in/yaml.v3
_VERSION = compile_late(r"[/.]v\d+$")
_PREFIX = compile_late(r"^go-|-go$|^go\.|\.go$")


def blank_unused_imports(text: str, *, original: str) -> str:
    """Return the text with `_` before each import that it no longer uses and the original does."""
    start = _DECLARATION.search(text)
    head, body = (text[: start.start()], text[start.start() :]) if start else (text, "")

    def blank(match: Match[str]) -> str:
        name = (match["alias"] or "").strip() or _guess_name(match["path"].strip('"'))
        is_unused = _uses(original, name) and not _uses(body, name)
        return f"{match['before']}_ {match['path']}" if is_unused else match[0]

    return _IMPORT.sub(blank, head) + body


def _guess_name(path: str) -> str:
    """Return the name that a package most likely has."""
    return _PREFIX.sub("", _VERSION.sub("", path).rpartition("/")[2])


def _uses(text: str, name: str) -> bool:
    return f"{name}." in text
