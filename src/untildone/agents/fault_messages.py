"""Error messages of clients and model servers, sorted by the remedy."""

import re
from typing import TypeAlias

from untildone.agents.headless import ClientFault

FaultMessages: TypeAlias = tuple[tuple[re.Pattern[str], ClientFault], ...]
# Compared first: the help that a client prints with it may name anything.
_WRONG_OPTION: FaultMessages = (
    (re.compile(r"unknown (option|argument)|unexpected argument|invalid values", re.I), "refused"),
)
_MESSAGES: FaultMessages = (
    (
        re.compile(
            r"(session|conversation|chat|thread|resource)\b.{0,80}\bnot found|no such session"
            r"|no (saved )?(session|thread|rollout)\b.{0,80}\bfound",
            re.I,
        ),
        "lost",
    ),
    (
        re.compile(
            r"\b40[13]\b|unauthori[sz]ed|forbidden|auth(entication)? (is )?required|not logged in"
            r"|(invalid|incorrect|missing|no) api key|api key not valid|unauthenticated"
            r"|please (log|sign) ?in",
            re.I,
        ),
        "authentication",
    ),
    (
        re.compile(
            r"\b402\b|billing|payment|insufficient (funds|credit|balance)|\bcredits?\b", re.I
        ),
        "billing",
    ),
    (
        re.compile(
            r"\b429\b|too many requests|rate.?limit|(usage|session) limit|limit reached|quota"
            r"|exhausted",
            re.I,
        ),
        "limit",
    ),
    (re.compile(r"overloaded|\b5\d\d\b|internal server error|unavailable", re.I), "overloaded"),
    (
        re.compile(
            r"unknown (option|argument|model)|unexpected argument|invalid (value|option)"
            r"|model\b.{0,80}\bnot (found|supported)|\b4\d\d\b|bad request"
            r"|context (length|window)",
            re.I,
        ),
        "refused",
    ),
    (
        re.compile(
            r"ECONN|ENOTFOUND|ETIMEDOUT|EAI_AGAIN|unable to connect|fetch failed|network"
            r"|connection|stream disconnected|timed? ?out|getaddrinfo|\bdns\b",
            re.I,
        ),
        "network",
    ),
)


def classify_message(text: str, own: FaultMessages = ()) -> ClientFault:
    """Return the fault that the message is about; `crashed` if it is not known.

    `own` are messages of one client alone; they are compared before those of all.
    """
    messages = (*_WRONG_OPTION, *own, *_MESSAGES)
    return next((fault for pattern, fault in messages if pattern.search(text)), "crashed")
