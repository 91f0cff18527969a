"""Error messages of clients and model servers, sorted by the remedy."""

import re

from untildone.agents.headless import ClientFault

_MESSAGES: tuple[tuple[re.Pattern[str], ClientFault], ...] = (
    (
        re.compile(r"(session|conversation|resource)\b.{0,80}\bnot found|no such session", re.I),
        "lost",
    ),
    (
        re.compile(
            r"\b40[13]\b|unauthori[sz]ed|forbidden|auth(entication)? (is )?required|not logged in"
            r"|(invalid|incorrect|missing|no) api key|please (log|sign) ?in",
            re.I,
        ),
        "authentication",
    ),
    (
        re.compile(r"\b402\b|billing|insufficient (funds|credit|balance)|\bcredits?\b", re.I),
        "billing",
    ),
    (
        re.compile(r"\b429\b|too many requests|(rate|usage|session) limit|quota|exhausted", re.I),
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
            r"|connection (error|refused|reset|closed)|timed? ?out|getaddrinfo",
            re.I,
        ),
        "network",
    ),
)


def classify_message(text: str) -> ClientFault:
    """Return the fault that the message is about; `crashed` if it is not known."""
    return next((fault for pattern, fault in _MESSAGES if pattern.search(text)), "crashed")
