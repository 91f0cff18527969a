"""Which tasks a worker can do and may do, by their routes."""

from msgspec import Struct

from untildone.runs.queue.repositories import is_allowed


class Abilities(Struct, frozen=True, kw_only=True):
    """`repositories` are patterns of those that the worker's owner allows."""

    agents: tuple[str, ...]
    labels: tuple[str, ...]
    repositories: tuple[str, ...]

    def can_do(self, route: str) -> bool:
        agent = route.partition("\t")[0]
        return (not agent or agent in self.agents) and self.can_merge(route)

    def can_merge(self, route: str) -> bool:
        """Say whether we may run the checks of a task; that needs no agent."""
        parts = route.split("\t")
        # A submitter could write any route.
        if len(parts) != 3:
            return False
        _, labels, repository = parts
        has_labels = set(filter(None, labels.split(","))) <= set(self.labels)
        return has_labels and is_allowed(repository, self.repositories)
