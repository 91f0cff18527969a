"""Settings of eslint: which names it is told to know, which rules are on."""

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from untildone.integrity.settings.lists import Before, fewer_paths
from untildone.integrity.settings.parsing import Scalar
from untildone.integrity.settings.values import inherits, milder, says

if TYPE_CHECKING:
    from untildone.integrity.settings.loosening import Place

_SCOPE = "eslint.scope."
# What stands among the blocks without being one: `js.configs.recommended`
_ELEMENT = "eslint"
# ...globals.node
_OF_A_PLACE = re.compile(r"\.\.\.globals\.[\w.]+")
_GLOBALS = frozenset(
    (
        *("console", "process", "Buffer", "global", "globalThis", "require", "module", "exports"),
        *("__dirname", "__filename", "setTimeout", "clearTimeout", "setInterval", "clearInterval"),
        *("setImmediate", "clearImmediate", "queueMicrotask", "structuredClone", "performance"),
        *("fetch", "Headers", "Request", "Response", "FormData", "Blob", "File", "WebSocket"),
        *("URL", "URLSearchParams", "TextEncoder", "TextDecoder", "AbortController", "AbortSignal"),
        *("Event", "EventTarget", "MessageChannel", "ReadableStream", "WritableStream", "crypto"),
        *("window", "document", "navigator", "location", "history", "localStorage", "self"),
        *("sessionStorage", "HTMLElement", "Element", "Node", "CustomEvent", "customElements"),
        *("requestAnimationFrame", "cancelAnimationFrame", "MutationObserver", "alert", "Bun"),
        *("Deno", "jest", "vi", "describe", "it", "test", "expect", "suite", "before", "after"),
        *("beforeAll", "afterAll", "beforeEach", "afterEach", "cy", "Cypress", "atob", "btoa"),
    )
)


def fewer_linted(key: str, old: Before, new: Before, place: "Place") -> bool:
    """Rule by rule, where it is told which files each of them is for."""
    scopes = [each for each in place.start if each.startswith(_SCOPE)]
    if not scopes:
        return fewer_paths(key, old, new, place)
    kept = ((place.start[each], place.beside[each]) for each in scopes if each in place.beside)
    return any(fewer_paths(key, before, now, place) for before, now in kept)


def unheard_of(key: str, old: Before, new: Before, _place: "Place") -> bool:
    """A name declared for the linter that no place to run in is known to have."""
    name = key.rpartition("globals.")[2]
    if name == "...":
        added = (str(each) for each in new or () if each not in (old or ()))
        return any(not _OF_A_PLACE.fullmatch(each) for each in added)
    return new is not None and new != old and name not in _GLOBALS and not says(new, on=False)


def milder_rule(key: str, old: Before, new: Before, place: "Place") -> bool:
    """Nothing is on that nobody switched on, unless by a set of rules that is taken up."""
    if old is None and place.start and not takes_up_sets(place.start):
        return False
    return milder(key, old, new, place)


def takes_up_sets(settings: Mapping[str, tuple[Scalar, ...]]) -> bool:
    """Of rules that are written elsewhere."""
    return _ELEMENT in settings or inherits(settings)
