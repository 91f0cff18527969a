const TABLE: &str = "users";

async fn find(pool: &PgPool, conn: &Connection, name: &str, placeholders: &str) -> Result<()> {
    sqlx::query("SELECT * FROM users WHERE name = $1").bind(name).fetch_all(pool).await?;
    sqlx::query!("SELECT * FROM users WHERE name = $1", name).fetch_all(pool).await?;
    conn.execute("DELETE FROM users WHERE name = ?1", [name])?;
    conn.prepare(&format!("SELECT * FROM users WHERE name IN ({placeholders})"))?;
    conn.prepare(&format!("SELECT * FROM {TABLE} WHERE name = ?1"))?;
    page.query(&format!("select[name={}]", name));
    println!("SELECT * FROM users WHERE name = '{}'", name);
    let query = "SELECT * FROM users WHERE name = ?1";
    conn.query_row(query, [name], |row| row.get(0))?;
    let shown = format!("SELECT * FROM users WHERE name = '{name}'");
    log(&shown);
    Ok(())
}
