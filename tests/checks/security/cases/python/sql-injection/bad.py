import pandas as pd
from sqlalchemy import text


def find(cursor, name, table):
    cursor.execute("SELECT * FROM users WHERE name = '" + name + "'")  # bad
    cursor.execute(f"SELECT id FROM users WHERE name = '{name}'")  # bad
    cursor.execute("SELECT id FROM users WHERE name = '%s'" % name)  # bad
    cursor.execute("DELETE FROM users WHERE name = '{}'".format(name))  # bad
    cursor.executescript(  # bad
        f"""
        INSERT INTO users (name)
        VALUES ('{name}')
        """
    )
    cursor.execute(  # bad
        "UPDATE users "
        f"SET name = '{name}' "
        "WHERE id = 1"
    )
    pd.read_sql(f"select * from {table}", cursor)  # bad
    return text(f"SELECT * FROM users WHERE id = {name}")  # bad


def find_later(connection, name):
    query = "SELECT * FROM users WHERE name = '" + name + "'"
    connection.execute(query)  # bad
    statement = (
        f"SELECT * FROM users WHERE name = '{name}'"
    )
    return connection.execute(statement).fetchall()  # bad
