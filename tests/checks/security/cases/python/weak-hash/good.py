import hashlib
import hmac

import bcrypt


def store(user, password, salt, content):
    user.hash = hashlib.scrypt(password.encode(), salt=salt, n=2**14, r=8, p=1)
    user.hash = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, 600_000)
    user.hash = bcrypt.hashpw(hashlib.sha256(password.encode()).digest(), bcrypt.gensalt())
    etag = hashlib.md5(content).hexdigest()
    cache_key = hashlib.sha1(content, usedforsecurity=False).hexdigest()
    fingerprint = hashlib.sha256(user.token.encode()).hexdigest()
    return hmac.new(salt, content, hashlib.sha256), etag, cache_key, fingerprint


def hash_password(text):
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
