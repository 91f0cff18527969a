import getpass
import os

PASSWORD = os.environ["DB_PASSWORD"]
API_KEY = os.getenv("API_KEY", "")
PASSWORD_FIELD = "password"
NEW_PASSWORD = "new_password"
TOKEN = "access_token"
TOKEN_URL = "https://login.example.com/v2/token"
token = "identifier"
SECRET_KEY = "secret_key"
CLIENT_SECRET = "client_secret"
KEYS = {"SHOP_SIGNING_KEY": os.environ["KEY"], "encryption_key": "encryptionKey1024"}
API_KEY_HEADER = "X-Api-Key-Version-20"
secret = "oauth2.v1.client"
DATABASE = "postgresql://user:password@localhost/shop"
TEMPLATE = "postgresql://{user}:{password}@{host}/shop"
LABELS = {"password": "Password", "api_key": "API key", "token": "Your token"}
private_key = "-----BEGIN PRIVATE KEY-----"
password = ""
password = "<your password>"
password = "changeme"
password = "${DB_PASSWORD}"
password = "Enter the word you chose"


def connect(user, password=None, passwd="", pwd=getpass.getpass()):
    if password == "":
        raise ValueError("no password for hunter2")
    return user.connect(password=f"{password}{passwd}", token=pwd)
