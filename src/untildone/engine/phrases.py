"""What a prompt asks of untildone: a verb for the session's loop, or a new loop.

`/untildone:pause` and, in a session with a loop, plain `pause` are verbs.
`/untildone:test` and `fix all failing tests` ask for a loop with the preset `test`.
Most prompts are neither; they are for the agent.
"""

import re
from typing import Literal, TypeAlias, get_args

from msgspec import Struct

from untildone.core.contract import Preset
from untildone.core.late_patterns import compile_late
from untildone.core.plan_task import PLANNED
from untildone.engine.request import PromptedLoop

Verb: TypeAlias = Literal["cancel", "pause", "continue", "status", "approve"]
_PRESETS = (*get_args(Preset), *PLANNED)
_VERBS: dict[str, Verb] = {
    "stop": "cancel",
    **{verb: verb for verb in get_args(Verb)},
}
# Verbs without a slash: such words count if they are all of the prompt and the session has a loop.
_LOOP_NAMES = ("relentless mode", "the loop", "this loop", "loop")
_PLAIN_VERBS: dict[str, Verb] = {
    **{name: verb for name, verb in _VERBS.items() if verb != "approve"},
    "resume": "continue",
    **{f"{word} {loop}": "cancel" for word in ("cancel", "stop", "end") for loop in _LOOP_NAMES},
    **{f"pause {loop}": "pause" for loop in _LOOP_NAMES},
    **{f"{word} {loop}": "continue" for word in ("resume", "continue") for loop in _LOOP_NAMES},
}
# Those that mean us in any session: no agent has a loop to cancel, and bare words are for it.
_NAMES_OUR_LOOP = compile_late(r"(?:cancel|pause|resume) (?:the loop|this loop|relentless mode)")
# `/untildone:test TASK`, or `$untildone-test TASK` in clients whose users call skills so.
_SLASH = compile_late(
    r"^(?:/untildone:|\$untildone-)(?P<name>[\w-]+)(?:\s+(?P<rest>.*))?$", re.DOTALL
)


class PromptVerb(Struct, frozen=True, kw_only=True):
    """A verb in a prompt; `rest` is the text behind it: `--rounds +5` of `continue --rounds +5`."""

    verb: Verb
    rest: str = ""


def find_verb(prompt: str, *, has_loop: bool) -> PromptVerb | None:
    """Return the verb if the prompt is one.

    In a session without a loop plain words count only if they name it, as "cancel the loop" does.
    """
    text = prompt.strip()
    slash = _SLASH.match(text)
    if slash:
        return _parse_slash_verb(slash["name"], (slash["rest"] or "").strip())
    words = text.casefold().rstrip(".!")
    is_ours = has_loop or _NAMES_OUR_LOOP.fullmatch(words)
    verb = _PLAIN_VERBS.get(words) if is_ours else None
    return PromptVerb(verb=verb) if verb else None


def _parse_slash_verb(name: str, rest: str) -> PromptVerb | None:
    """Return the verb of `/untildone:NAME REST`; None if that starts a loop or is unknown."""
    if name == "loop":
        # `/untildone:loop continue --budget=10`: the verb may follow the preset `loop`.
        word, _, after = rest.partition(" ")
        name, rest = (word, after.strip()) if word in _VERBS else ("", "")
    # `/untildone:test --cancel`
    if name in _PRESETS and rest in ("--cancel", "cancel"):
        name, rest = "cancel", ""
    verb = _VERBS.get(name)
    return PromptVerb(verb=verb, rest=rest) if verb else None


# A phrase ends at the prompt's end, before a separator ("test relentlessly: the parser"), or
# before a space.
_END = r"(?=\s*(?:$|[:,.!;\u2013\u2014-]|\s))"
_PHRASES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (preset, compile_late(pattern + _END, re.IGNORECASE))
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
        ("implement-feature", r"implement the (?:full|whole|entire|complete) feature"),
        # After "fix all lint errors" and the like, which say which errors are meant.
        ("fix", r"fix all (?:the )?(?:[\w+#.-]+ )?(?:problems|errors)"),
        # "loop: SPEC", "loop - SPEC"
        ("loop", r"loop(?=:\s*[^\s:]| - \S)"),
    )
)
# Phrases that are no part of the task: that of "loop: add a flag" is "add a flag". The others are,
# as in "fix all failing tests".
_PHRASE_BEFORE_TASK = compile_late(
    r"(?:\w+ relentlessly|loop|implement the \w+ feature)", re.IGNORECASE
)
_ABOUT_LOOPS = compile_late(
    r"(?:what is (?:untildone|loop)|how does (?:untildone|loop) work|loop help)[?.!]*",
    re.IGNORECASE,
)
# "test relentlessly is what ralph does" talks about the phrase and asks for no loop.
_ABOUT_IT = compile_late(r"\s+(?:is|are|was|were|means|does|doesn|did|seems|sounds|or|vs)\b", re.I)


def find_loop_request(prompt: str) -> PromptedLoop | None:
    """Return the loop that the prompt asks for, by a slash command or a phrase at its beginning."""
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
    """Say whether the prompt is a question such as "what is untildone?"."""
    return bool(_ABOUT_LOOPS.fullmatch(prompt.strip()))


def _build_from_phrase(preset: str, text: str, found: re.Match[str]) -> PromptedLoop | None:
    """Return the loop of a prompt that begins with the phrase `found`; None if it only asks."""
    first = re.split(r"(?<=[.!?])\s|\n", text, maxsplit=1)[0]
    if first.rstrip().endswith("?") or _ABOUT_IT.match(text, found.end()):
        return None
    task = text
    if _PHRASE_BEFORE_TASK.fullmatch(found[0]):
        task = text[found.end() :].lstrip(" \t:,.!;\u2013\u2014-").strip()
    return PromptedLoop(preset=preset or _find_preset(text), task=task, explicit=False)


def _find_preset(text: str) -> str:
    """Return the preset that "don't stop until …" is about; `ship`, all checks, by default."""
    for preset, words in (("test", "test|spec|green"), ("lint", "lint|style|format")):
        if re.search(rf"\b(?:{words})", text, re.IGNORECASE):
            return preset
    return "build" if re.search(r"\b(?:build|compil|type)", text, re.IGNORECASE) else "ship"
