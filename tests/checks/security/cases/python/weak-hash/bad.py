import hashlib


def store(user, password, salt):
    user.hash = hashlib.md5(password.encode()).hexdigest()  # bad
    user.hash = hashlib.sha1((salt + password).encode()).hexdigest()  # bad
    user.hash = hashlib.new("md5", password.encode()).hexdigest()  # bad
    user.hash = hashlib.sha256(password.encode("utf-8")).hexdigest()  # bad
    user.session_token = hashlib.md5(user.name.encode()).hexdigest()  # bad
    return hashlib.sha1(user.reset_token.encode())  # bad


def hash_password(text):
    return hashlib.md5(text.encode()).hexdigest()  # bad
