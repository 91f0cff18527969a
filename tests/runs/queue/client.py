"""A client for queued tasks: what it does depends on its prompt and its folder alone.

`client.py FOLDER [the client's own arguments]`, the prompt on stdin. A task says what to write:
`Write NAME`, in as many rounds as `in N rounds` says, with the line `saying WORD`. Of a merge that
conflicted it keeps both sides.
"""

import json
import re
import sys
import time
from pathlib import Path


def main(folder: Path) -> int:
    prompt = sys.stdin.read()
    found = re.search(r"Write (\w+)(?: in (\d+) rounds)?(?:, slowly \(([\d.]+) s\))?", prompt)
    assert found, prompt
    name, rounds, seconds = found[1], int(found[2] or 1), float(found[3] or 0)
    path = Path(name)
    written = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    path.write_text("\n".join((*written, "line")) + "\n", encoding="utf-8")
    said = re.search(r"saying (\w+)", prompt)
    if said:
        kept = [line for line in written if line[:7] not in ("<<<<<<<", "=======", ">>>>>>>")]
        lines = dict.fromkeys((*kept, said[1]))
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    elif len(written) + 1 >= rounds:
        Path(name).write_text("\n".join((*written, "end")) + "\n", encoding="utf-8")
    with (folder / "calls.log").open("a", encoding="utf-8") as log:
        log.write(f"{name} {len(written) + 1} {'begun before' in prompt}\n")
    if is_limited(folder, name, len(written) + 1):
        return 1
    time.sleep(seconds)
    use = {"type": "tool_use", "name": "Write", "input": {"file_path": name}}
    say(type="assistant", message={"content": [use]}, parent_tool_use_id=None)
    say(
        type="result",
        subtype="success",
        is_error=False,
        api_error_status=None,
        result="Done.",
        total_cost_usd=0.25,
        num_turns=1,
    )
    return 0


def is_limited(folder: Path, name: str, number: int) -> bool:
    """Say that the account is at its usage limit, once, if the file `limit` names this call."""
    limit = folder / "limit"
    if not limit.exists() or limit.read_text(encoding="utf-8") != f"{name} {number}":
        return False
    limit.unlink()
    Path("half").write_text("unfinished\n", encoding="utf-8")
    message = f"Claude AI usage limit reached|{int(time.time()) + 3_600}"
    say(type="result", subtype="success", is_error=True, api_error_status=429, result=message)
    return True


def say(**fields: object) -> None:
    print(json.dumps(fields), flush=True)  # noqa: T201  its protocol is stdout


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
