async fn find(pool: &PgPool, conn: &Connection, name: &str, table: &str) -> Result<()> {
    sqlx::query(&format!("SELECT * FROM users WHERE name = '{}'", name)).fetch_all(pool).await?; // bad
    sqlx::query_as::<_, User>(&format!("SELECT * FROM {table} WHERE id = 1")); // bad
    conn.execute(&format!("DELETE FROM users WHERE name = '{name}'"), [])?; // bad
    diesel::sql_query(format!("UPDATE users SET name = '{}'", name)).execute(conn)?; // bad
    conn.execute( // bad
        &format!(
            "INSERT INTO users (name)
             VALUES ('{}')",
            name
        ),
        [],
    )?;
    let query = format!("SELECT * FROM users WHERE name = '{}'", name);
    conn.query_row(&query, [], |row| row.get(0))?; // bad
    let statement = format!("SELECT id FROM users WHERE name = '{name}'");
    client.query(statement.as_str(), &[]).await?; // bad
    Ok(())
}
