"""Parts of a failure's message that differ between two runs of the same code.

`AssertionError at 0x7f3a in 0.12s` and `AssertionError at 0x11b0 in 0.09s` say the same;
`assert 11 == 6` and `assert 10 == 6` do not.
"""

import re

_UNIT = r"([mµun]?s|secs?|seconds?|min|minutes?)\b"
_NOISE = "|".join(
    (
        r"0x[0-9a-f]+",
        # 0.12s, in 12 ms, (3s), duration_ms 4.1, 12:30:01.5
        rf"\b\d+\.\d+ ?{_UNIT}",
        rf"\b(in|took|after) \d+ ?{_UNIT}",
        rf"\(\d+ ?{_UNIT}\)",
        r"\bduration_ms\W+[\d.]+",
        r"\b\d\d?:\d\d:\d\d([.,]\d+)?",
        # line 12, cart.py:12:4
        r"\bline \d+",
        r"\.[a-z]{1,5}:\d+(:\d+)?",
        # /tmp/pytest-1/x, pid 4711, a UUID
        r"(/private)?/(tmp|var/folders)/\S+",
        r"\bpid\W*\d+",
        r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}",
    )
)


def remove_run_noise(text: str) -> str:
    """Return the text without what another run of the same code would print differently."""
    # Compiled at its first use and cached by `re`: a stop without a red check does not pay for it.
    return re.sub(_NOISE, "", text, flags=re.IGNORECASE)
