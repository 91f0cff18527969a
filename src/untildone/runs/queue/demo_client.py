"""A client without a model for `queue demo`: `python -m … [client arguments]`, the prompt on stdin.

It writes the file that its task names, at first only half of it, in Claude Code's protocol.
"""

import json
import re
import sys
import time
from pathlib import Path

_TASK = re.compile(r"Write the page (?P<name>[a-z]+\.txt)")
_SECONDS = 0.3


def main() -> int:
    """Play one call and return the client's exit code."""
    found = _TASK.search(sys.stdin.read())
    if found is None:
        print("this client only knows the tasks of the demo", file=sys.stderr)  # noqa: T201  as a client does
        return 1
    path = Path(found["name"])
    time.sleep(_SECONDS)
    is_begun = path.exists()
    path.write_text("title\nbody\n" if is_begun else "title\n", encoding="utf-8", newline="\n")
    use = {"type": "tool_use", "name": "Write", "input": {"file_path": path.name}}
    _say("assistant", message={"content": [use]}, parent_tool_use_id=None)
    result = "Title and body are there." if is_begun else "Done!"
    _say("result", subtype="success", is_error=False, result=result, total_cost_usd=0, num_turns=2)
    return 0


def _say(kind: str, **fields: object) -> None:
    print(json.dumps({"type": kind, **fields}), flush=True)  # noqa: T201  its protocol is stdout


if __name__ == "__main__":
    sys.exit(main())
