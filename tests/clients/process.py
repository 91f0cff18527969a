"""Processes of a client, seen from the shell of its agent."""

from clients.machine import ClientMachine
from clients.server import Step

_KILL = """\
p=$$
until grep -q stream-json /proc/$p/cmdline; do p=$(ps -o ppid= -p $p | tr -d ' '); done
kill -9 $p
"""


def kill_client(machine: ClientMachine) -> Step:
    """A call of the shell that kills the client; a script, as some refuse `$(…)` in a command."""
    script = machine.home / "kill.sh"
    script.write_text(_KILL, encoding="utf-8")
    return machine.client.shell(f"sh {script}")
