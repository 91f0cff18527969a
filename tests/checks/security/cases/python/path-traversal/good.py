import os
import tarfile
import zipfile
from pathlib import Path

from flask import abort, request, send_from_directory
from werkzeug.utils import secure_filename

UPLOADS = Path("uploads")


def show():
    return open(os.path.join("uploads", secure_filename(request.args["name"]))).read()


def download():
    return send_from_directory("uploads", request.args["name"])


def checked():
    target = (UPLOADS / request.args["name"]).resolve()
    if not target.is_relative_to(UPLOADS.resolve()):
        abort(404)
    return target.read_text()


def checked_variable():
    name = request.args["name"]
    path = os.path.realpath(os.path.join("uploads", name))
    if os.path.commonpath([path, os.path.realpath("uploads")]) != os.path.realpath("uploads"):
        abort(404)
    return open(path).read()


def numbered():
    return open(f"uploads/{int(request.args['id'])}.txt").read()


def constant(name):
    count = request.args["count"]
    with open("uploads/list.txt") as file, open(name) as other:
        return file.read()[:1] + other.read() + count


def ratio(total):
    return total / len(request.args)


def unpack(path):
    with tarfile.open(path) as tar:
        tar.extractall("uploads", filter="data")
    with zipfile.ZipFile(path) as zipped:
        zipped.extractall("uploads")
