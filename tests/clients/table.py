"""The clients that every scenario of this folder is played with."""

from clients import codex, copilot, gemini, qwen
from clients.machine import Client

CLIENTS: dict[str, Client] = {"codex": codex, "gemini": gemini, "qwen": qwen, "copilot": copilot}
