"""Rules for JavaScript and TypeScript."""

from untildone.integrity.sniffing.rule import Rule
from untildone.integrity.sniffing.signs import (
    ASKS,
    BUILD_VARIABLE,
    ENDS,
    EQUAL,
    EXITS,
    HIDES,
    PATCHES,
    PRINTS,
    READS,
    RUNNER_VARIABLE,
    SUCCESS,
)

_FUNCTIONS = (
    *("function_declaration", "function_expression", "arrow_function", "method_definition"),
    *("generator_function", "generator_function_declaration"),
)
_NAMES = (
    *("property_identifier", "shorthand_property_identifier_pattern", "identifier"),
    "string_fragment",
)
_GLOBALS = "describe|it|expect|jest|vi|vitest|beforeEach|afterEach|suite|mocha"
_TESTED = (
    r"['\"`/\\](\S{0,60}[/.\\-])?(tests?([_-]runner)?|specs?|vitest|jest|mocha|assert)"
    r"([/.\\-]\S{0,60})?['\"`/\\]"
)
# As a regular expression has it: /[./]test[./]/, /\btests?\b/; the method is not meant.
_TESTED_PATTERN = (
    r"/(?![/*])(\S{0,60}([^\w\s]|_|\\b))?(?<!/\.)(tests?|specs?|vitest|jest|mocha)"
    r"([^a-zA-Z\s(]\S{0,60})?/"
)
_STACK = "(stack|prepareStackTrace|getFileName)"
_CARRIER = r"(?i)test|setup|mock|fixture|helper|plugin|matcher"
# A command line of its own ends as it likes.
_PROGRAM = r"(^|/)(bin|cli)(/|\.)"
_NO_PROGRAM = r"\A(?!#!)"
# Only for `node FILE`.
_STARTED = r"^if\s*\(.*(require\.main|import\.meta\.(main|url|filename)|process\.argv\[1\])"
# import { bench, describe } from 'vitest': what comes in judges nothing.
_MEASURES = r"import\s+(type\b|\{[\s,]*((bench|describe|suite|type\s+\w+)\b[\s,]*)+\}\s*from\b)"
_JUDGES = r"vitest|@jest/globals|node:test|chai|@vitest/\w+|mocha|bun:test|expect|@jest/\w+"

RULES = (
    Rule(because=ASKS, kinds=_NAMES, text=rf"^({RUNNER_VARIABLE.pattern})$"),
    Rule(
        because=ASKS,
        kinds=("member_expression", "subscript_expression"),
        text=rf"^[\w.]*\benv\??(\.|\[['\"])({BUILD_VARIABLE.pattern})(['\"]\])?$",
    ),
    Rule(
        because=ASKS,
        kinds=("binary_expression", "call_expression"),
        text=r"^[^&|?]*\b(NODE_ENV|env\.MODE|env\.\w*ENV)\b[^&|?]*['\"`]test(ing)?['\"`][^&|?]*$"
        r"|^[^&|?]*['\"`]test(ing)?['\"`][^&|?]*\b(NODE_ENV|env\.MODE|env\.\w*ENV)\b[^&|?]*$",
    ),
    Rule(
        because=ASKS,
        kinds=("switch_statement",),
        text=r"(?s)^switch\s*\([^)]*NODE_ENV.*case\s+['\"`]test",
    ),
    Rule(
        because=ASKS,
        kinds=("unary_expression", "member_expression", "binary_expression"),
        text=rf"^typeof\s+(globalThis\.)?({_GLOBALS})$|^import\.meta\.vitest$"
        rf"|^(globalThis|global|window)\??\.({_GLOBALS}|test)$"
        rf"|^['\"`]({_GLOBALS})['\"`]\s+in\s+(globalThis|global|window|self)$",
        unless=_CARRIER,
    ),
    Rule(
        because=ASKS,
        kinds=("call_expression", "binary_expression"),
        text=r"^[^{}]*(process\.(argv0?|execArgv|title|mainModule)|require\.(main|cache)"
        rf"|module\.parent)[^{{}}]*({_TESTED}|['\"`]--test)"
        rf"|^{_TESTED_PATTERN}\w*\.(test|exec)\([^{{}}]*(process\.(argv|execArgv|title|mainModule)"
        r"|require\.main|module\.parent)",
    ),
    Rule(
        because=ASKS,
        kinds=("property_identifier", "shorthand_property_identifier_pattern"),
        text=rf"^{_STACK}$",
        file="test|spec|jest|mocha|assert",
        near=rf"(?s)\b{_STACK}\b[^}}]{{0,400}}({_TESTED}|{_TESTED_PATTERN})"
        rf"|({_TESTED}|{_TESTED_PATTERN})[^}}]{{0,400}}\b{_STACK}\b"
        # const where = new Error().stack; … where.includes('.test.')
        rf"|\b(?P<kept>\w+)\s*=[^;=\n][^;\n]*\b{_STACK}\b.{{0,600}}?(\b(?P=kept)\b[^;\n]{{0,200}}"
        rf"({_TESTED}|{_TESTED_PATTERN})|({_TESTED}|{_TESTED_PATTERN})[^;\n]{{0,200}}\b(?P=kept)\b)",
    ),
    Rule(
        because=ASKS,
        kinds=("property_identifier",),
        text=rf"^{_STACK}$",
        # const caller = () => new Error().stack; … /\.test\./.test(caller())
        file=rf"(?s)\b(function|const|let)\s+(?P<told>\w+)\b[^;]{{0,120}}\b{_STACK}\b.{{0,600}}?"
        rf"(\b(?P=told)\([^;\n]{{0,200}}({_TESTED}|{_TESTED_PATTERN})"
        rf"|({_TESTED}|{_TESTED_PATTERN})[^;\n]{{0,200}}\b(?P=told)\()",
    ),
    Rule(
        because=EXITS,
        kinds=("call_expression",),
        text=r"^(process\??\.(exit|reallyExit|abort)|Deno\.exit)\(\s*(0|undefined|null)?\s*\)$",
        file=_NO_PROGRAM,
        unless=_PROGRAM,
        outside=(*_FUNCTIONS, "class_body"),
        apart=_STARTED,
    ),
    Rule(
        because=ENDS,
        kinds=("call_expression",),
        text=r"(?s)^process\??\.(on|once|addListener|prependListener)\(\s*['\"`](exit|beforeExit"
        r"|uncaughtException|unhandledRejection)['\"`](.*(exitCode\s*=\s*(0|undefined|null)"
        r"|[eE]xit\(\s*(0|undefined)?\s*\))|\s*,\s*\(?\w*\)?\s*=>\s*\{\s*\}\s*\)$)",
    ),
    Rule(
        because=ENDS,
        kinds=("assignment_expression",),
        text=r"^process\??\.exitCode\s*=\s*(0|undefined)$",
        file=_NO_PROGRAM,
        unless=_PROGRAM,
        outside=_FUNCTIONS,
        apart=_STARTED,
    ),
    Rule(
        because=PATCHES,
        kinds=("assignment_expression",),
        text=r"^(assert|expect|chai|should|strict)\b[.\[][^=]*=[^=]"
        r"|^(globalThis|global|window)\??[.\[]['\"]?(expect|it|test|describe|assert|process|JSON"
        r"|Object|Promise|Error|Date|Math)\b['\"]?\]?\s*="
        r"|^(Object\.is|JSON\.(stringify|parse)|process\.(exit|reallyExit|emit|exitCode\s*\())\s*="
        r"|^(Object|Array|String|Number|Boolean|Error|Map|Set|Promise|RegExp|Date)\.prototype\."
        r"(valueOf|toString|toJSON|then|equals|constructor|asymmetricMatch|hasOwnProperty)\s*="
        r"|^(Module\._|Module\.prototype|require\.cache)|^require\(['\"](node:)?(assert|test)",
    ),
    Rule(
        because=PATCHES,
        kinds=("call_expression",),
        text=r"^(Object\.(assign|definePropert(y|ies))|Reflect\.(set|defineProperty))\(\s*"
        r"(assert|expect|process|Object\.prototype|Object|JSON|Module)\s*,",
    ),
    Rule(
        because=PATCHES,
        kinds=("assignment_expression",),
        text=r"^\w+(\.strict)?\.(equal|strictEqual|deepEqual|deepStrictEqual|notEqual|ok|throws"
        r"|rejects|match|toBe|toEqual)\s*=[^=]",
        file=r"['\"](node:)?(assert(/strict)?|vitest|chai|expect|@jest/globals)['\"]",
    ),
    Rule(
        because=PATCHES,
        kinds=("import_statement", "call_expression"),
        text=rf"(?s)^(?!{_MEASURES})(import\b.*|require\(\s*)['\"]({_JUDGES})['\"]\s*\)?;?$",
        unless=_CARRIER,
    ),
    Rule(
        because=EQUAL,
        kinds=("method_definition", "pair", "public_field_definition", "field_definition"),
        text=r"(?s)^(\w+\s+)*(equals|isEqual|eq)\s*(\([^)]*\)\s*(:\s*\w+\s*)?\{\s*return\s+(true|!0)"
        r"\s*;?\s*\}|[:=]\s*(\([^)]*\)|\w+)\s*=>\s*(true|!0)|[:=]\s*function\s*\([^)]*\)\s*\{\s*"
        r"return\s+(true|!0)\s*;?\s*\})$",
    ),
    Rule(
        because=EQUAL,
        kinds=("property_identifier", "string_fragment"),
        text=r"^(asymmetricMatch|jest\.asymmetricMatcher)$",
        unless=_CARRIER,
    ),
    Rule(
        because=EQUAL,
        kinds=("method_definition",),
        text=r"(?s)^(valueOf|\[Symbol\.toPrimitive\])\s*\([^)]*\)\s*\{\s*return\s+(-?\d|['\"`])",
    ),
    Rule(
        because=READS,
        kinds=("string_fragment",),
        text=r"^\.{0,2}/?([\w.-]+/)*(tests?|__tests__|specs?)/.|\.(test|spec)\.[cm]?[jt]sx?$"
        r"|\.snap$|__snapshots__|^(\.{0,2}/)*(tests?|__tests__|specs?)/?$",
        file=r"\b(readFile|readdir|createReadStream|writeFile|opendir|appendFile|globSync?)\w*\b",
    ),
    Rule(
        because=READS,
        kinds=("import_statement", "call_expression"),
        text=r"(?s)^(import\b|require\().*['\"](\.{1,2}/)+([\w.-]+/)*((tests?|__tests__|specs?)/"
        r"[^'\"]+|[^'\"]+\.(test|spec)(\.\w+)?)['\"]",
    ),
    Rule(
        because=PRINTS,
        kinds=("string_fragment", "template_string"),
        text=f"(?im){SUCCESS.pattern}",
        within=r"^(console\.\w+|process\.stdout\.write)\(",
    ),
    Rule(
        because=HIDES,
        kinds=("call_expression", "new_expression"),
        text=r"(?s)^(eval|(new )?Function|vm\.runIn\w+)\(.*(atob|base64|'hex'|\"hex\"|nflate)",
    ),
)
