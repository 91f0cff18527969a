"""A check that prints a gigabyte: time against a pipe into `cat`, and memory."""

import statistics
import subprocess
import sys
from pathlib import Path

from bench.table import Row, measure_medians

# The process that runs the check tells its own peak. Where the kernel does not keep one for the
# program alone, it is that of the process it was started by if that was larger.
RUNS_CHECK = """
import re, resource, sys, time
from pathlib import Path
from untildone.checks.parallel_run import RunOptions, run_checks
from untildone.core.contract import Check

folder = Path(sys.argv[1])
began = time.perf_counter()
running = RunOptions(project=folder, logs=folder / "logs")
(result,) = run_checks([Check(name="flood", command=sys.argv[2])], running)
taken = time.perf_counter() - began
assert result.green, result
status = Path("/proc/self/status")
if status.exists():
    peak = int(re.search(r"VmHWM:\\s+(\\d+) kB", status.read_text())[1]) * 1024
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(taken, peak)
"""


def measure(folder: Path) -> list[Row]:
    large = write_log(folder / "large.log")
    told: list[tuple[float, float]] = []
    piped, _ = measure_medians(
        [
            lambda: subprocess.run(["sh", "-c", f"cat {large} | cat > /dev/null"], check=True),
            lambda: told.append(run_check(folder, f"cat {large}")),
        ],
        rounds=7,
    )
    taken = statistics.median(seconds for seconds, _ in told)
    peak = max(size for _, size in told)
    return [
        Row("1 GB of output", taken / piped, 1.5, "the same into `cat > /dev/null`"),
        Row("1 GB of output, our memory", peak / 1_000_000, 64, "MB resident"),
    ]


def write_log(path: Path) -> Path:
    part = b"".join(b"line %d of a long log, as programs print it\n" % n for n in range(20_000))
    with path.open("wb") as file:
        for _ in range(1_000_000_000 // len(part) + 1):
            file.write(part)
    return path


def run_check(folder: Path, command: str) -> tuple[float, float]:
    """Seconds and bytes of a process that runs the command as a check."""
    argv = [sys.executable, "-c", RUNS_CHECK, str(folder), command]
    done = subprocess.run(argv, check=True, capture_output=True, text=True)
    taken, peak = done.stdout.split()
    return float(taken), float(peak)
