"""Finds verbs and requests for a loop in a prompt of the user."""

import re
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from untildone.core.contract import Preset
from untildone.core.plan_task import PLANNED
from untildone.engine.request import PromptedLoop

Verb: TypeAlias = Literal["cancel", "pause", "continue", "status", "approve"]
_PRESETS = (*get_args(Preset), *PLANNED)
_VERBS: dict[str, Verb] = {
    "stop": "cancel",
    **{verb: verb for verb in get_args(Verb)},
}
# Without a slash these mean us, as the whole of a prompt in a session with a loop.
_PLAIN: dict[str, Verb] = {
    **{name: verb for name, verb in _VERBS.items() if verb != "approve"},
    "cancel relentless mode": "cancel",
    "stop relentless mode": "cancel",
}
_SLASH = re.compile(r"^/untildone:(?P<name>[\w-]+)(?:\s+(?P<rest>.*))?$", re.DOTALL)


class PromptVerb(Struct, frozen=True, kw_only=True):
    verb: Verb
    rest: str = ""


def find_verb(prompt: str, *, has_loop: bool) -> PromptVerb | None:
    """The verb that is the whole prompt; plain words count only in a session with a loop."""
    text = prompt.strip()
    slash = _SLASH.match(text)
    if slash:
        return _parse_slash_verb(slash["name"], (slash["rest"] or "").strip())
    verb = _PLAIN.get(text.casefold().rstrip(".!")) if has_loop else None
    return PromptVerb(verb=verb) if verb else None


def _parse_slash_verb(name: str, rest: str) -> PromptVerb | None:
    if name == "loop":
        # `/untildone:loop continue --budget=10` and its kin
        word, _, after = rest.partition(" ")
        name, rest = (word, after.strip()) if word in _VERBS else ("", "")
    if name in _PRESETS and rest in ("--cancel", "cancel"):
        name, rest = "cancel", ""
    verb = _VERBS.get(name)
    return PromptVerb(verb=verb, rest=rest) if verb else None


# What may follow a phrase: the end, a task after a separator, or more of the sentence.
_END = r"(?=\s*(?:$|[:,.!;\u2013\u2014-]|\s))"
_PHRASES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (preset, re.compile(pattern + _END, re.IGNORECASE))
    for preset, pattern in (
        ("build", r"build relentlessly"),
        ("build", r"keep building until (?:it )?(?:compiles|builds|green)"),
        ("build", r"fix all (?:the )?(?:build|compile|compiler|compilation|type) errors"),
        ("test", r"test relentlessly"),
        ("test", r"keep testing until (?:it'?s )?green"),
        ("test", r"fix all (?:the )?failing tests"),
        ("test", r"make (?:all )?(?:the )?tests pass"),
        ("lint", r"lint relentlessly"),
        ("lint", r"fix all (?:the )?lint(?:ing|er)? errors"),
        ("lint", r"clean up (?:the )?code style"),
        ("ship", r"ship relentlessly"),
        ("", r"(?:don['\u2019]?t|do not|never) stop until"),
        ("", r"(?:keep (?:going|working)|continue|iterate|loop) until"),
        ("test", r"until (?:all )?(?:the )?tests pass"),
        # Behind those that say which errors are meant.
        ("fix", r"fix all (?:the )?(?:[\w+#.-]+ )?(?:problems|errors)"),
        # "loop: SPEC", "loop - SPEC"
        ("loop", r"loop(?=:\s*[^\s:]| - \S)"),
    )
)
# What stands before the task and is no part of it.
_NO_TASK = re.compile(r"(?:\w+ relentlessly|loop)", re.IGNORECASE)
_ABOUT_LOOPS = re.compile(
    r"(?:what is (?:untildone|loop)|how does (?:untildone|loop) work|loop help)[?.!]*",
    re.IGNORECASE,
)
# "test relentlessly is what ralph does" speaks about it
_ABOUT_IT = re.compile(r"\s+(?:is|are|was|were|means|does|doesn|did|seems|sounds|or|vs)\b", re.I)


def find_loop_request(prompt: str) -> PromptedLoop | None:
    """A loop the prompt asks for, by a slash command or by a phrase at its beginning."""
    text = prompt.strip()
    slash = _SLASH.match(text)
    if slash:
        if slash["name"] not in _PRESETS:
            return None
        return PromptedLoop(preset=slash["name"], task=(slash["rest"] or "").strip(), explicit=True)
    for preset, phrase in _PHRASES:
        found = phrase.match(text)
        if found:
            return _build_from_phrase(preset, text, found)
    return None


def asks_about_loops(prompt: str) -> bool:
    return bool(_ABOUT_LOOPS.fullmatch(prompt.strip()))


def _build_from_phrase(preset: str, text: str, found: re.Match[str]) -> PromptedLoop | None:
    first = re.split(r"(?<=[.!?])\s|\n", text, maxsplit=1)[0]
    if first.rstrip().endswith("?") or _ABOUT_IT.match(text, found.end()):
        return None
    task = text
    if _NO_TASK.fullmatch(found[0]):
        task = text[found.end() :].lstrip(" \t:,.!;\u2013\u2014-").strip()
    return PromptedLoop(preset=preset or _find_preset(text), task=task, explicit=False)


def _find_preset(text: str) -> str:
    """Which checks "don't stop until …" is about; all of them where it does not say."""
    for preset, words in (("test", "test|spec|green"), ("lint", "lint|style|format")):
        if re.search(rf"\b(?:{words})", text, re.IGNORECASE):
            return preset
    return "build" if re.search(r"\b(?:build|compil|type)", text, re.IGNORECASE) else "ship"
