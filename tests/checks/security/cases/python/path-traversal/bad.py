import os
import shutil
import tarfile
from pathlib import Path

from flask import request, send_file

UPLOADS = Path("uploads")


def show():
    return open("uploads/" + request.args["name"]).read()  # bad


def download():
    return send_file(os.path.join("uploads", request.args.get("name")))  # bad


def by_variable():
    folder = "uploads"
    name = request.args.get("name")
    with open(f"{folder}/{name}") as file:  # bad
        return file.read()


def below():
    return (UPLOADS / request.form["name"]).read_text()  # bad


def below_by_variable():
    name = request.query_params["name"]
    target = UPLOADS / name  # bad
    return Path(target)


def remove():
    shutil.rmtree(request.json["folder"])  # bad


def save():
    request.files["file"].save(os.path.join("uploads", request.files["file"].filename))  # bad


def unpack(path):
    with tarfile.open(path) as tar:
        tar.extractall("uploads")  # bad
