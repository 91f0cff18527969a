"""Results of checks as JUnit XML, one test case per check."""

import re
from xml.sax.saxutils import escape, quoteattr

from untildone.core.check_results import CheckResult

# Characters that no XML 1.0 document may hold, however they are written.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render_junit(results: tuple[CheckResult, ...]) -> str:
    failures = sum(not result.green for result in results)
    seconds = sum(result.seconds for result in results)
    cases = "".join(_render_case(result) for result in results)
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        f'<testsuite name="untildone" tests="{len(results)}" failures="{failures}"'
        f' time="{seconds:.3f}">\n{cases}</testsuite>\n'
    )


def _render_case(result: CheckResult) -> str:
    name = f'  <testcase name={_quote_attribute(result.name)} classname="untildone"'
    head = f'{name} time="{result.seconds:.3f}"'
    if result.green:
        return f"{head}/>\n"
    message = _quote_attribute(result.reason or result.outcome)
    findings = [f"{each.path}:{each.line}: {each.code} {each.text}" for each in result.findings]
    body = escape(_replace_forbidden("\n".join(findings) or result.output))
    return f"{head}>\n    <failure message={message}>{body}</failure>\n  </testcase>\n"


def _quote_attribute(text: str) -> str:
    return quoteattr(_replace_forbidden(text))


def _replace_forbidden(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
