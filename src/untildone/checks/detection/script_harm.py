"""Scripts of a project that would run forever or change files: they cannot be checks."""

from collections.abc import Iterator, Mapping

from untildone.core.late_patterns import compile_late

# npm run test:once; yarn test:once; $(MAKE) test-once
_CALL = compile_late(
    r"(?<![\w./-])(?:npm|pnpm|yarn|bun|make|\$\(MAKE\))(?: run)? (?P<name>[\w:.-]+)"
)
_START, _REST, _END = r"(?<![\w./-])", r"[^&|;\n]*", r"(?![\w./-])"
_ENDLESS = compile_late(
    r"(?<!\S)(?:--watch(?:All)?(?:=true)?|--ui)(?!\S)"
    # For other tools `-w` is a workspace, a number of workers or a file.
    rf"|{_START}(?:tsc|mocha|webpack|rollup|tsup)\b{_REST}\s-w(?!\S)"
    rf"|{_START}(?:react-scripts|ng) test\b(?!{_REST}(?:--no-watch|--watch=false))"
    rf"|{_START}karma start\b(?!{_REST}--single-run)"
    rf"|{_START}(?:next|nuxt|astro|ng|webpack|parcel|tsx) (?:dev|serve|start|watch|preview){_END}"
    rf"|{_START}(?:nodemon|live-server|http-server|ts-node-dev|webpack-dev-server){_END}"
    rf"|{_START}vite{_END}(?! (?:build|optimize)\b)"
    rf"|{_START}vitest{_END}(?!{_REST} (?:run\b|--run\b|--no-watch|--watch=false))"
)
_CHANGES = compile_late(
    r"(?<!\S)(?:--fix|--write|--apply(?:-unsafe)?|--unsafe-fixes|--update-?[sS]napshots?)(?!\S)"
    rf"|{_START}(?:jest|vitest)\b{_REST}\s-u(?!\S)"
    rf"|{_START}gofmt\b{_REST}\s-w(?!\S)|{_START}go fmt\b"
    rf"|{_START}(?:ruff format|black|cargo fmt)(?: |$)(?!{_REST}--(?:check|diff))"
)


def find_harm(name: str, scripts: Mapping[str, str]) -> str:
    """Return why the script must not run as a check; "" if it ends and changes nothing."""
    texts = tuple(_collect_scripts(name, scripts))
    if any(map(_ENDLESS.search, texts)):
        return "would run forever"
    return "would change files" if any(map(_CHANGES.search, texts)) else ""


def make_single_run(script: str) -> str:
    """Return the command that makes a plain `vitest` run once; "" for other scripts."""
    name, *options = script.split() or [""]
    is_plain = name == "vitest" and all(word.startswith("-") for word in options)
    return " ".join(["vitest run", *options]) if is_plain and "--watch" not in options else ""


def _collect_scripts(name: str, scripts: Mapping[str, str]) -> Iterator[str]:
    """Yield the script, its pre and post scripts, and those that they call."""
    names = [f"pre{name}", name, f"post{name}"]
    for called in names:
        text = scripts.get(called, "")
        yield text
        names += {call["name"] for call in _CALL.finditer(text)}.difference(names)
