import psycopg
from flask import Flask

DB_PASSWORD = "hunter2"  # bad
API_KEY = "9f86d081884c7d659a2feaa0"  # bad
SECRET_KEY = "supersecretkey"  # bad
AWS = "AKIAQ3EGZXUVN5TPKLMD"  # bad
DATABASE = "postgresql://shop:Tr0ub4dor@db.internal/shop"  # bad
SETTINGS = {
    "host": "db",
    "password": "correct-horse",  # bad
    "api_key": "b5bb9d8014a0f9b1d61e21e7",  # bad
}

app = Flask(__name__)
app.secret_key = "dev-key-do-not-share"  # bad
app.config["SECRET_KEY"] = "my-secret-key"  # bad


def connect(password="letmein"):  # bad
    return psycopg.connect(host="db", password="s3cr3t!")  # bad


def login(user, password):
    return user == "admin" and password == "opensesame"  # bad


class Client:
    token: str = "3c9909afec25354d551dae21590bb26e"  # bad
