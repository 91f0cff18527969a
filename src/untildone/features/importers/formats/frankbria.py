"""ralph-claude-code: each open box of a `fix_plan.md` becomes a claim."""

import re

from untildone.core.agent_message import MAX_CLAIMS
from untildone.core.contract import Claim
from untildone.errors import UserError
from untildone.features.importers.file_parsing import decode_text
from untildone.features.importers.formats.loop_format import ImportedLoop, Source
from untildone.features.markdown import list_boxes, parse_lines, skip_sections

PATHS = (".ralph/fix_plan.md", "fix_plan.md", "@fix_plan.md")
AT_STOPS: tuple[str, ...] = ()
# Boxes below such headings do not keep the loop going.
OPTIONAL = re.compile(r"\b(?:optional|future|nice to have|backlog)\b", re.IGNORECASE)


def read(source: Source) -> ImportedLoop:
    lines = parse_lines(decode_text(source.path, source.data))
    boxes = list_boxes(skip_sections(lines, OPTIONAL))
    done = {box.text for box in boxes if box.checked}
    still = dict.fromkeys(box.text for box in boxes if not box.checked)
    if len(still) > MAX_CLAIMS:
        raise UserError(
            f"`{source.path}` has {len(still)} open boxes, more than {MAX_CLAIMS}",
            hint="join what belongs together, or move some below a heading `Optional`",
        )
    if not boxes:
        raise UserError(
            f"`{source.path}` has no box (`- [ ] …`) to work on", hint="add what is to be done"
        )
    folder = source.path.rpartition("/")[0]
    prompt = source.read_other_file(f"{folder}/PROMPT.md".lstrip("/"))
    listed = f"Carry out what `{source.path}` lists and check it off there."
    return ImportedLoop(
        task=decode_text("PROMPT.md", prompt).strip() if prompt else listed,
        claims=tuple(Claim(name=text) for text in still),
        counter_key="",
        done_when="both",
        active=bool(still),
        defaults=(f"{len(done)} boxes are checked off and left out",) if done else (),
    )
