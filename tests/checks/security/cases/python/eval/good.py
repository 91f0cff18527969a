import ast
import json
import re


def calculate(expression, frame, model, cursor):
    ast.literal_eval(expression)
    json.loads(expression)
    eval("1 + 1")
    exec("x = 1")
    frame.eval(expression)
    model.eval()
    cursor.exec(expression)
    re.compile(expression)
    evaluate(expression)
    return compile("1", "<text>", "eval")


def evaluate(expression):
    return "eval(expression)"
