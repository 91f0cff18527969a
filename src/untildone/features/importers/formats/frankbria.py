"""frankbria's ralph-claude-code: each open box of a `fix_plan.md` becomes a claim.

    - [ ] Parse dates        ->  Claim(name="Parse dates")
    - [x] Read files             left out: it is done

The task is the text of a `PROMPT.md` in the same folder, if there is one.
"""

import re

from untildone.core.agent_message import MAX_CLAIMS
from untildone.core.contract import Claim
from untildone.errors import UserError
from untildone.features.importers.file_parsing import decode_text
from untildone.features.importers.formats import loop_format
from untildone.features.markdown import list_boxes, parse_lines, skip_sections

PATHS = (".ralph/fix_plan.md", "fix_plan.md", "@fix_plan.md")
AT_STOPS: tuple[str, ...] = ()
# Boxes below such headings do not keep the loop going.
OPTIONAL_HEADING = re.compile(r"\b(?:optional|future|nice to have|backlog)\b", re.IGNORECASE)


def read_loop(source: loop_format.Source) -> loop_format.ImportedLoop:
    lines = parse_lines(decode_text(source.path, source.data))
    boxes = list_boxes(skip_sections(lines, OPTIONAL_HEADING))
    checked = {box.text for box in boxes if box.checked}
    unchecked = dict.fromkeys(box.text for box in boxes if not box.checked)
    if len(unchecked) > MAX_CLAIMS:
        raise UserError(
            f"`{source.path}` has {len(unchecked)} open boxes, more than {MAX_CLAIMS}",
            hint="join what belongs together, or move some below a heading `Optional`",
        )
    if not boxes:
        raise UserError(
            f"`{source.path}` has no box (`- [ ] …`) to work on", hint="add what is to be done"
        )
    folder = source.path.rpartition("/")[0]
    prompt = source.read_other_file(f"{folder}/PROMPT.md".lstrip("/"))
    default_task = f"Carry out what `{source.path}` lists and check it off there."
    return loop_format.ImportedLoop(
        task=decode_text("PROMPT.md", prompt).strip() if prompt else default_task,
        claims=tuple(Claim(name=text) for text in unchecked),
        counter_key="",
        done_when="both",
        active=bool(unchecked),
        defaults=(f"{len(checked)} boxes are checked off and left out",) if checked else (),
    )
