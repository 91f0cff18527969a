"""A client without a model: it writes the page that its task names, after a turn of some seconds.

`client.py SECONDS [the client's own arguments]`, the prompt on stdin.
"""

import json
import re
import sys
import time
from pathlib import Path


def main(seconds: float) -> None:
    found = re.search(r"page-\d+", sys.stdin.read())
    if found is None:
        raise SystemExit("this client only knows the tasks of the bench")
    time.sleep(seconds)
    path = Path(f"{found[0]}.txt")
    path.write_text("page\nend\n", encoding="utf-8")
    use = {"type": "tool_use", "name": "Write", "input": {"file_path": path.name}}
    say(type="assistant", message={"content": [use]}, parent_tool_use_id=None)
    say(
        type="result",
        subtype="success",
        is_error=False,
        result="Done.",
        total_cost_usd=0,
        num_turns=1,
    )


def say(**fields: object) -> None:
    print(json.dumps(fields), flush=True)


if __name__ == "__main__":
    main(float(sys.argv[1]))
