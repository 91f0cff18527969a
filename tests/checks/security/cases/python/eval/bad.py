import builtins


def calculate(expression, names):
    eval(expression)  # bad
    eval(expression, {"__builtins__": {}}, names)  # bad
    eval(f"{expression} + 1")  # bad
    eval("lambda x: " + expression)  # bad
    exec(compile(expression, "<given>", "exec"))  # bad
    exec(open("plugin.py").read(), names)  # bad
    return builtins.eval(expression)  # bad
