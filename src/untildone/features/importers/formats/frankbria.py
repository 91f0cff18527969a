"""ralph-claude-code: each open box of a `fix_plan.md` becomes a claim."""

import re

from untildone.core.agent_message import MAX_CLAIMS
from untildone.core.contract import Claim
from untildone.errors import UserError
from untildone.features.importers.formats.loop_format import ImportedLoop, Source
from untildone.features.importers.formats.text import decode_text

PATHS = (".ralph/fix_plan.md", "fix_plan.md", "@fix_plan.md")
AT_STOPS: tuple[str, ...] = ()
_HEADING = re.compile(r"(?i)^#+\s*(?P<title>.*)$")
_BOX = re.compile(r"^\s*[-*]\s*\[(?P<mark>[ xX])\]\s*(?P<text>\S.*)$")
# Optional boxes do not keep the loop going.
_LATER = re.compile(r"(?i)\b(optional|future|nice to have|backlog)\b")


def read(source: Source) -> ImportedLoop:
    done, still = _parse_boxes(decode_text(source.path, source.data))
    if len(still) > MAX_CLAIMS:
        raise UserError(
            f"`{source.path}` has {len(still)} open boxes, more than {MAX_CLAIMS}",
            hint="join what belongs together, or move some below a heading `Optional`",
        )
    if not done and not still:
        raise UserError(
            f"`{source.path}` has no box (`- [ ] …`) to work on", hint="add what is to be done"
        )
    folder = source.path.rpartition("/")[0]
    prompt = source.beside(f"{folder}/PROMPT.md".lstrip("/"))
    return ImportedLoop(
        task=_build_task(source, prompt),
        claims=tuple(Claim(name=text) for text in still),
        counter="",
        done_when="both",
        active=bool(still),
        defaults=(f"{len(done)} boxes are checked off and left out",) if done else (),
    )


def _build_task(source: Source, prompt: bytes | None) -> str:
    if prompt:
        return decode_text("PROMPT.md", prompt).strip()
    return f"Carry out what `{source.path}` lists and check it off there."


def _parse_boxes(text: str) -> tuple[list[str], list[str]]:
    """The texts of the checked boxes, then of the open ones."""
    done: dict[str, None] = {}
    still: dict[str, None] = {}
    later = False
    for line in text.splitlines():
        heading, box = _HEADING.match(line), _BOX.match(line)
        if heading:
            later = bool(_LATER.search(heading["title"]))
        elif box and not later:
            (still if box["mark"] == " " else done)[box["text"].strip()] = None
    return list(done), list(still)
