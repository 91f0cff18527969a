"""The clients that every scenario of this folder is played with."""

from clients import codex, copilot
from clients.machine import Client

CLIENTS: dict[str, Client] = {"codex": codex, "copilot": copilot}
