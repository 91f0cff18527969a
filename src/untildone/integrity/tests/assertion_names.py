"""Names of the assertions of test libraries, in lower case without underscores."""

from untildone.words import words

EQUAL = words("""
    equal equals strictequal deepequal deepstrictequal eql tobe is toequal tostrictequal assertequal
    assertequals asserteq assertis assertlistequal assertdictequal asserttupleequal assertsetequal
    same assertsequenceequal assertmultilineequal assertcountequal assertarrayequals assertsame
    assertiterableequals equalvalues elementsmatch jsoneq len isequalto containsexactly tohavelength
    lengthof hassize issameas tomatchsnapshot tomatchinlinesnapshot debugasserteq exactly
    matchsnapshot tohavebeencalledwith tohavebeencalledtimes assertarrayequal assertframeequal
""")
NULL = words("assertisnone assertnull tobenull tobeundefined isnull nil null")
CLOSE = words("""
    tobecloseto assertalmostequal assertalmostequals closeto approximately indelta inepsilon
    assertallclose iscloseto approx isclose allclose
""")
TRUE = words("ok asserttrue true assert debugassert istrue tobetruthy")
FALSE = words("assertfalse false isfalse tobefalsy notok refute")
PRESENT = words("""
    assertisnotnone assertnotnull tobedefined notnil notnull isnotnull noerror doesnotthrow
    assertdoesnotthrow exists exist error isdefined doesnotreject isnotempty notempty
    tohavebeencalled assertcalled
""")
THROWS = words("""
    assertraises assertraisesregex throws rejects tothrow tothrowerror assertthrows
    assertthrowsexactly raises panics isthrownby throw
""")
OTHER = words("""
    notequal notstrictequal notdeepequal notdeepstrictequal contains greater less regexp match
    doesnotmatch include subset isinstanceof zero greaterorequal lessorequal notcontains empty
    iserror errorcontains
""")
KNOWN = EQUAL | NULL | CLOSE | TRUE | FALSE | PRESENT | THROWS | OTHER
# Errors as they are written, which nearly every failure raises.
BROAD_ERRORS = words("Exception BaseException Throwable RuntimeException")


def normalize_name(name: str) -> str:
    """Return the name as the tables have it: `assert_equal` and `assertEqual` are one name."""
    return name.replace("_", "").lower()
