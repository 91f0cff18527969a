"""SHA-256 without `hashlib`, which loads OpenSSL.

Every stop imports this: the interpreter's own module takes 0.6 ms, `hashlib` 3.2 ms, of the 50 ms
that a stop without checks takes to import everything (Python 3.11, CPU time).
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256  # since Python 3.12
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:
            from hashlib import sha256

__all__ = ["sha256"]
