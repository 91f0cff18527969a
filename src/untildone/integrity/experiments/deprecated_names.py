"""Deprecated names of test libraries and the names that replaced them."""

import re

_PYTHON = {
    "assertEquals": "assertEqual",
    "assertNotEquals": "assertNotEqual",
    "assertAlmostEquals": "assertAlmostEqual",
    "assertNotAlmostEquals": "assertNotAlmostEqual",
    "assertRegexpMatches": "assertRegex",
    "assertNotRegexpMatches": "assertNotRegex",
    "assertRaisesRegexp": "assertRaisesRegex",
    "assertItemsEqual": "assertCountEqual",
    "assert_": "assertTrue",
    "failUnless": "assertTrue",
    "failIf": "assertFalse",
    "failUnlessEqual": "assertEqual",
    "yield_fixture": "fixture",
}
_JAVASCRIPT = {
    "toBeCalled": "toHaveBeenCalled",
    "toBeCalledTimes": "toHaveBeenCalledTimes",
    "toBeCalledWith": "toHaveBeenCalledWith",
    "lastCalledWith": "toHaveBeenLastCalledWith",
    "nthCalledWith": "toHaveBeenNthCalledWith",
    "toReturn": "toHaveReturned",
    "toReturnTimes": "toHaveReturnedTimes",
    "toReturnWith": "toHaveReturnedWith",
    "toThrowError": "toThrow",
}
_CALLED = re.compile(r"(?<=\.)(\w+)(?=\s*\()")


def replace_deprecated_names(path: str, text: str) -> str:
    """Use the new names, which the older versions of the libraries know as well."""
    known = _PYTHON if path.endswith(".py") else _JAVASCRIPT
    return _CALLED.sub(lambda found: known.get(found[1], found[1]), text)
