"""Regular expressions that are compiled once they are used.

A stop imports the patterns of all tools and languages and uses a third of them: compiling the
others would take a tenth of its own processor time.
"""

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    compile_late = re.compile
else:

    class _LatePattern:
        """Has the attributes of the compiled pattern; functions of `re` do not take it."""

        def __init__(self, pattern: str, flags: int) -> None:
            self._source = (pattern, flags)

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401  what a pattern has by that name
            value = getattr(re.compile(*self._source), name)
            # Found at once the next time.
            self.__dict__[name] = value
            return value

    def compile_late(pattern: str, flags: int = 0) -> _LatePattern:
        """Return the pattern, which is compiled as soon as one of its attributes is read."""
        return _LatePattern(pattern, flags)
