"""How a worker works: who it is, what it may do, and when it ends."""

from msgspec import Struct

from untildone.runs.queue.configuration_trust import TrustRules
from untildone.runs.queue.lease import Identity
from untildone.runs.run_memory import RunOptions


class WorkerSettings(Struct, frozen=True, kw_only=True):
    """`repositories` are patterns of those that it works on; `lease` is in seconds.

    With `wait` it stays while the accounts of all its agents sleep.
    """

    identity: Identity
    url: str
    repositories: tuple[str, ...]
    options: RunOptions
    trust: TrustRules = TrustRules()
    lease: float
    once: bool
    wait: bool = True


def choose_silence(lease: float) -> float:
    """Return after how many silent seconds a connection ends: several times during a lease."""
    return min(max(lease / 4, 2.0), 15.0)
