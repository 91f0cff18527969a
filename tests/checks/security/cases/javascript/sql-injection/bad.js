async function find(db, name, table) {
  await db.query("SELECT * FROM users WHERE name = '" + name + "'"); // bad
  await db.query(`SELECT * FROM users WHERE name = '${name}'`); // bad
  await db.execute(`DELETE FROM ${table} WHERE id = ${name}`); // bad
  db.prepare("UPDATE users SET name = '" + name + "' WHERE id = 1").run(); // bad
  await prisma.$queryRawUnsafe(`SELECT * FROM users WHERE id = ${name}`); // bad
  await knex.raw( // bad
    `
    INSERT INTO users (name)
    VALUES ('${name}')
    `,
  );
  await pool.query({ text: `SELECT id FROM users WHERE name = '${name}'` }); // bad
  const query = `SELECT * FROM users WHERE name = '${name}'`;
  return db.all(query, []); // bad
}

app.get("/users", (req, res) => {
  let sql = "SELECT * FROM users WHERE id = " + req.query.id;
  db.get(sql, (error, row) => res.json(row)); // bad
});
