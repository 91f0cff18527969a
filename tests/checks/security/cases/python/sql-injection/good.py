TABLE = "users"


def find(cursor, names, name, executor, form):
    cursor.execute("SELECT * FROM users WHERE name = ?", (name,))
    cursor.execute("SELECT * FROM users WHERE name = %s", [name])
    cursor.execute("SELECT * FROM users " + "WHERE name = ?", (name,))
    cursor.execute(f"SELECT * FROM {TABLE} WHERE name = ?", (name,))
    placeholders = ", ".join("?" * len(names))
    cursor.execute(f"SELECT * FROM users WHERE name IN ({placeholders})", names)
    executor.execute(f"resize {name}")
    form.text(f"Select a name from the list, {name}")
    print(f"SELECT is not run here: {name}")
    query = "SELECT * FROM users WHERE name = :name"
    return cursor.execute(query, {"name": name})


def describe(name):
    query = f"SELECT * FROM users WHERE name = '{name}'"
    return query


def run_given(cursor, query):
    cursor.execute(query)
