"""Settings of ESLint: whether it lints fewer files, knows more globals or has milder rules.

`eslint.config.js` exports a list of blocks such as `{files: ["src/**"], rules: {semi: "error"}}`.
"""

from collections.abc import Mapping

from untildone.core.late_patterns import compile_late
from untildone.integrity.settings.lists import covers_fewer_paths
from untildone.integrity.settings.parsing import Values
from untildone.integrity.settings.setting_change import SettingChange
from untildone.integrity.settings.values import inherits_rules, is_milder, is_off
from untildone.words import words

# `formats.py` puts the files of each rule there: `eslint.scope.no-console`
_SCOPE_PREFIX = "eslint.scope."
# The key of elements of that list which are no blocks, as `js.configs.recommended`.
_PRESET_KEY = "eslint"
# ...globals.node
_GLOBALS_OF_ENVIRONMENT = compile_late(r"\.\.\.globals\.[\w.]+")
_KNOWN_GLOBALS = words("""
    console process Buffer global globalThis require module exports __dirname __filename
    setTimeout clearTimeout setInterval clearInterval setImmediate clearImmediate queueMicrotask
    structuredClone performance fetch Headers Request Response FormData Blob File WebSocket URL
    URLSearchParams TextEncoder TextDecoder AbortController AbortSignal Event EventTarget
    MessageChannel ReadableStream WritableStream crypto window document navigator location
    history localStorage self sessionStorage HTMLElement Element Node CustomEvent customElements
    requestAnimationFrame cancelAnimationFrame MutationObserver alert Bun Deno jest vi describe
    it test expect suite before after beforeAll afterAll beforeEach afterEach cy Cypress atob
    btoa
""")


def lints_fewer_files(change: SettingChange) -> bool:
    """Say whether a rule applies to fewer files; without rules, whether `files` names fewer."""
    old, new = change.file.old_settings, change.file.new_settings
    scopes = [key for key in old if key.startswith(_SCOPE_PREFIX)]
    if not scopes:
        return covers_fewer_paths(change)
    return any(
        covers_fewer_paths(change.with_values(old[key], new[key])) for key in scopes if key in new
    )


def declares_unknown_global(change: SettingChange) -> bool:
    """Say whether a global is declared that no environment has: it may not exist at all."""
    name, new = change.key.rpartition("globals.")[2], change.new
    if name == "...":
        # `globals: { ...globals.node }` has its values under the key `...`.
        added = (str(value) for value in new or () if value not in (change.old or ()))
        return not all(map(_GLOBALS_OF_ENVIRONMENT.fullmatch, added))
    is_new = new is not None and new != change.old
    return is_new and name not in _KNOWN_GLOBALS and not is_off(new)


def is_milder_rule(change: SettingChange) -> bool:
    """Say whether a rule is milder; without presets, a rule that was not set was off."""
    old_settings = change.file.old_settings
    if change.old is None and old_settings and not uses_presets(old_settings):
        return False
    return is_milder(change)


def uses_presets(settings: Mapping[str, Values]) -> bool:
    """Say whether rules may be on that the settings do not name."""
    return _PRESET_KEY in settings or inherits_rules(settings)
