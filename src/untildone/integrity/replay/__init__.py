"""The start's tests on the new code, in a clean copy."""
