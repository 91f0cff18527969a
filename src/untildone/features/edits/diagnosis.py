"""Diagnoses single files with language servers, linters and security rules.

Texts of files go in, findings by file and tool come out. The texts may be earlier ones than on
disk: the comparison of both shows which errors an edit introduced.
"""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import TypeAlias

from untildone.checks import linters, security
from untildone.checks.lsp.documents import UnreadableFileError, read_content
from untildone.core.check_results import Finding
from untildone.engine.context import Context, has_run_checks
from untildone.engine.project_checks import load_trusted_configuration
from untildone.errors import UserError
from untildone.features.edits.server_client import ask_servers

# The findings by relative path and tool. A tool that did not answer about a file has no entry; one
# that found nothing has an empty one.
ToolFindings: TypeAlias = dict[tuple[str, str], tuple[Finding, ...]]
# Asks one tool about files with these texts, within so many seconds.
Tool: TypeAlias = Callable[[Context, Path, Mapping[Path, str], float], ToolFindings]

# ESLint is started for each file.
_MAX_LINTED_FILES = 10
_PARALLEL_LINTERS = 2


def diagnose(
    context: Context, project: Path, texts: Mapping[Path, str], *, wait: float
) -> ToolFindings:
    """Return the findings in files with these texts that tools report within `wait` seconds."""
    findings: ToolFindings = {}
    if texts:
        with ThreadPoolExecutor(max_workers=len(_TOOLS)) as pool:
            answers = [pool.submit(ask, context, project, texts, wait) for ask in _TOOLS]
            for answer in answers:
                findings |= answer.result()
    return findings


def read_texts(files: tuple[Path, ...]) -> dict[Path, str]:
    """Return the current texts, without files that cannot be read."""
    texts = {}
    for file in files:
        with suppress(UnreadableFileError):
            texts[file] = read_content(file).decode("utf-8", "replace")
    return texts


def find_introduced(
    context: Context, project: Path, before: Mapping[Path, str | None], *, wait: float
) -> tuple[Finding, ...]:
    """Return the errors and security findings that were not in the texts `before`.

    The text of a file that did not exist before is None.
    A tool's findings count only if it also diagnosed the file as it was before.
    """
    findings_now = diagnose(context, project, read_texts(tuple(before)), wait=wait)
    errors_now = {
        key: [finding for finding in findings if finding.severity in ("error", "security")]
        for key, findings in findings_now.items()
    }
    if not any(errors_now.values()):
        return ()
    old_texts = {file: text for file, text in before.items() if text is not None}
    findings_before = diagnose(context, project, old_texts, wait=wait)
    new_files = {file.relative_to(project).as_posix() for file in before if file not in old_texts}
    known = {finding.fingerprint for findings in findings_before.values() for finding in findings}
    return tuple(
        finding
        for key, errors in errors_now.items()
        if key in findings_before or key[0] in new_files
        for finding in errors
        if finding.fingerprint not in known
    )


def _ask_servers(
    context: Context, project: Path, texts: Mapping[Path, str], wait: float
) -> ToolFindings:
    """Return what the language servers report."""
    report = ask_servers(context, project, tuple(texts), wait=wait, texts=texts)
    return {
        (file.path, tool): tuple(finding for finding in file.findings if finding.check == tool)
        for file in (report.files if report else ())
        for tool in file.servers
    }


def _run_eslint(
    context: Context, project: Path, texts: Mapping[Path, str], wait: float
) -> ToolFindings:
    """Return what ESLint reports about each of the first files; each file gets a process."""
    # Only if the project's checks have run: its configuration is code from the repository.
    program = linters.find_eslint(project) if has_run_checks(context.home, project) else ""
    files = list(islice(filter(linters.is_lintable, texts), _MAX_LINTED_FILES)) if program else []

    def lint(file: Path) -> tuple[Finding, ...] | None:
        return linters.run_eslint(program, file, texts[file], project=project, timeout=wait)

    with ThreadPoolExecutor(max_workers=_PARALLEL_LINTERS) as pool:
        answers = dict(zip(files, pool.map(lint, files), strict=True))
    return {
        (file.relative_to(project).as_posix(), linters.ESLINT): findings
        for file, findings in answers.items()
        if findings is not None
    }


def _run_biome(
    context: Context, project: Path, texts: Mapping[Path, str], wait: float
) -> ToolFindings:
    """Return what Biome reports, in one process, about copies of the files."""
    # Only if the project's checks have run: the program itself comes from the repository.
    program = linters.find_biome(project) if has_run_checks(context.home, project) else ""
    lintable = {file: text for file, text in texts.items() if linters.is_lintable(file)}
    if not program or not lintable:
        return {}
    with _copy_files(project, lintable) as (copies, files):
        findings = linters.run_biome(program, files, project=project, copies=copies, timeout=wait)
    return {} if findings is None else _group_by_file(linters.BIOME, project, lintable, findings)


def _run_security_rules(
    context: Context, project: Path, texts: Mapping[Path, str], wait: float
) -> ToolFindings:
    """Return what the security rules find, those of the trusted configuration included."""
    with _copy_files(project, texts) as (copies, files):
        try:
            rules = tuple(
                project / rule
                for rule in load_trusted_configuration(context, project).security_rules
            )
            findings = security.scan_files(files, project=copies, rules=rules, timeout=wait)
        except UserError:
            # Without the extra or with a broken rule there is no answer; `doctor` reports it.
            return {}
    return _group_by_file(security.NAME, project, texts, findings)


@contextmanager
def _copy_files(project: Path, texts: Mapping[Path, str]) -> Iterator[tuple[Path, list[Path]]]:
    """Write the texts into a temporary folder; yield the folder and the files.

    These tools read only files, but a text may be an earlier one than on disk.
    """
    with tempfile.TemporaryDirectory(prefix="untildone-diagnosis-") as folder:
        copies = Path(folder).resolve()
        files = [copies / file.relative_to(project) for file in texts]
        for file, text in zip(files, texts.values(), strict=True):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8", errors="replace", newline="")
        yield copies, files


def _group_by_file(
    tool: str, project: Path, files: Iterable[Path], findings: Iterable[Finding]
) -> ToolFindings:
    """Return a tool's findings by file; a file without findings has an empty entry."""
    by_file: ToolFindings = {(file.relative_to(project).as_posix(), tool): () for file in files}
    for finding in findings:
        by_file[finding.path, tool] = (*by_file.get((finding.path, tool), ()), finding)
    return by_file


_TOOLS: tuple[Tool, ...] = (_ask_servers, _run_eslint, _run_biome, _run_security_rules)
