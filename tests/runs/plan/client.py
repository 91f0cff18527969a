"""A client for plan runs: what it does depends on its prompt alone, so any call can be repeated.

`client.py FOLDER [the client's own arguments]`, the prompt on stdin. FOLDER/plays.json has the
steps of each task: the first is played until something was judged, then one for each round.
"""

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path


def main(folder: Path) -> int:
    prompt = sys.stdin.read()
    found = re.search(r"agreed:\n(\S+):", prompt)
    assert found, prompt
    task = found[1]
    steps = json.loads((folder / "plays.json").read_text(encoding="utf-8"))[task]
    if "This was done once" in prompt:
        steps = steps[-1:]
    # A run that goes on after a crash reminds of what was unmet, without the round.
    judged = "not judged yet" not in prompt
    rounds = re.search(r"Round (\d+) of", prompt)
    step = steps[min(int(rounds[1]) if rounds else int(judged), len(steps) - 1)]
    with (folder / "calls.log").open("a", encoding="utf-8") as log:
        log.write(f"{task} {steps.index(step)}\n")
    for name, content in step.get("writes", {}).items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(content, encoding="utf-8", newline="\n")
    if "runs" in step:
        subprocess.run(step["runs"], shell=True, check=True)  # noqa: S602  the script's own
    time.sleep(step.get("takes", 0))
    if "dies" in step and not (folder / f"{task}.died").exists():
        (folder / f"{task}.died").touch()
        os.kill(os.getpid(), step["dies"])
    use = {"type": "tool_use", "name": "Write", "input": {"file_path": "x"}}
    say(type="assistant", message={"content": [use]}, parent_tool_use_id=None)
    say(
        type="result",
        subtype="success",
        is_error="status" in step,
        api_error_status=step.get("status"),
        result=step.get("says", "Done."),
        total_cost_usd=0.25,
        num_turns=1,
    )
    return 0


def say(**fields: object) -> None:
    print(json.dumps(fields), flush=True)  # noqa: T201  its protocol is stdout


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
