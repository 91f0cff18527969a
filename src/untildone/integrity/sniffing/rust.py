"""Rules for Rust."""

from untildone.integrity.sniffing.rule import Rule
from untildone.integrity.sniffing.signs import (
    ASKS,
    BUILD_VARIABLE,
    ENDS,
    EQUAL,
    EXITS,
    PATCHES,
    PRINTS,
    READS,
    RUNNER_VARIABLE,
    SUCCESS,
)

_PROGRAM = r"(^|/)(main\.rs|bin/)"
# Imports may differ under test; programs without the standard library need the others.
_BESIDE = (
    r"^\s*(pub\s+)?(use|extern)\b|panic_handler|global_allocator|no_mangle|alloc_error_handler"
)
_THREAD = r"(std::)?thread::current\(\)"
_ASKED = r"[=!]=|\.(is_some_and|is_none_or|contains|starts_with|ends_with|find|eq)\("
# A name that is only logged decides nothing.
_DECIDES = (
    rf"(?s)^(if|match|while)\b[^{{]*{_THREAD}|matches!|^{_THREAD}[^;{{]*"
    rf"({_ASKED}|\.map_or\(\s*(true|false)|\.is_(some|none)\()"
    rf"|^\{{.*\blet\b[^;]*{_THREAD}[^;]*;.*({_ASKED}|\b(if|match|while)\b)"
)

RULES = (
    Rule(
        because=ASKS, kinds=("macro_invocation",), text=r"^cfg!\([^)]*\b(test|debug_assertions)\b"
    ),
    Rule(
        because=ASKS,
        kinds=("attribute_item",),
        text=r"^#\[\s*cfg\s*\(.*\bnot\s*\(\s*(any\s*\(|all\s*\()?\s*(test|debug_assertions)\b",
        beside=_BESIDE,
    ),
    Rule(
        because=ASKS,
        kinds=("attribute_item",),
        text=r"^#\[\s*cfg\s*\(\s*((any|all)\s*\()?\s*test\b",
        inside=("block", "match_block"),
        beside=r"^\s*use\b",
    ),
    Rule(because=ASKS, kinds=("attribute_item",), text=r"cfg_attr\s*\(.*\btest\b.*\bpath\s*="),
    Rule(
        because=ASKS,
        kinds=("call_expression", "macro_invocation"),
        text=r"^((std::)?env::var(_os)?\(|(option_)?env!\()\s*\""
        rf"({RUNNER_VARIABLE.pattern}|{BUILD_VARIABLE.pattern})\"",
    ),
    Rule(
        because=ASKS,
        kinds=("call_expression",),
        # Set while cargo runs something; what is built with it is known by `env!`.
        text=r"^(std::)?env::var(_os)?\(\s*\"CARGO(_MANIFEST_\w+|_PKG_\w+)?\"\)$",
        unless=r"(^|/)(build\.rs|xtask/)",
    ),
    Rule(
        because=ASKS,
        kinds=("call_expression",),
        text=r"(?s)^(std::)?thread::current\(\)\s*\.name\(\)$",
        within=_DECIDES,
    ),
    Rule(
        because=ASKS,
        kinds=("call_expression",),
        text=r"(?s)^(std::)?thread::current\(\)\s*\.name\(\)$",
        # Another function may be given the name, and ask.
        file=r"\.(contains|starts_with|ends_with|split\w*|find)\(\s*\"[^\"\n]*(::|\btests?\b)",
    ),
    Rule(
        because=ASKS,
        kinds=("call_expression",),
        text=r"^\w+\.name\(\)$",
        file=_THREAD,
        near=rf"(?s)^\{{.*\blet\s+(?P<me>\w+)\s*=\s*{_THREAD}\s*;"
        rf".*\b(?P=me)\.name\(\)[^;]*({_ASKED}|\.map_or\(\s*(true|false))",
    ),
    Rule(
        because=ASKS,
        kinds=("call_expression",),
        text=r"^(std::)?env::(current_exe|args|args_os)\(\)$",
        within=r"(?s)^[^\n]*fn\b.*\"[^\"]*(test|deps)[^\"]*\"",
    ),
    Rule(
        because=ASKS,
        kinds=("scoped_identifier",),
        text=r"^(std::)?backtrace::Backtrace\b",
        within=r"(?s)fn\b.*\"[^\"]*test[^\"]*\"",
    ),
    Rule(
        because=EXITS,
        kinds=("call_expression",),
        text=r"^(std::)?process::exit\(0\)$|^exit\(0\)$",
        unless=_PROGRAM,
    ),
    Rule(
        because=EXITS, kinds=("attribute_item",), text=r"^#\[\s*(\w+::)?[cd]tor\b|link_section\s*="
    ),
    Rule(because=ENDS, kinds=("call_expression",), text=r"^(libc::)?_exit\(|^libc::(exit|kill)\("),
    Rule(
        because=PATCHES,
        kinds=("macro_definition",),
        text=r"^macro_rules!\s*(assert|assert_eq|assert_ne|debug_assert\w*|panic)\b",
    ),
    Rule(
        because=EQUAL,
        kinds=("function_item",),
        text=r"(?s)^fn eq\(\s*&self.*->\s*bool\s*\{\s*(return\s+)?true;?\s*\}$"
        r"|^fn ne\(\s*&self.*->\s*bool\s*\{\s*(return\s+)?false;?\s*\}$"
        r"|^fn cmp\(\s*&self.*\{\s*(\w+::)*Equal\s*\}$",
    ),
    Rule(
        because=READS,
        kinds=("string_literal",),
        text=r"(^\"|/)tests?/|_tests?\.rs|\"tests?\"",
        file=r"\b(fs::(read|read_to_string|read_dir|File)|File::open|include(_str|_bytes)?!)",
    ),
    Rule(
        because=PRINTS,
        kinds=("string_literal",),
        text=f"(?im){SUCCESS.pattern}",
        within=r"^(e?println?!|write(ln)?!)",
    ),
)
