const TABLE = "users";

async function find(db, name, names, router) {
  await db.query("SELECT * FROM users WHERE name = ?", [name]);
  await db.query("SELECT * FROM users " + "WHERE name = $1", [name]);
  await db.query(`SELECT * FROM ${TABLE} WHERE name = $1`, [name]);
  const placeholders = names.map(() => "?").join(",");
  await db.query(`SELECT * FROM users WHERE name IN (${placeholders})`, names);
  await prisma.$queryRaw`SELECT * FROM users WHERE name = ${name}`;
  await db.query(sql`SELECT * FROM users WHERE name = ${name}`);
  router.get(`/users/${name}`, () => null);
  list.get(`Select a row of ${name}`);
  console.log(`SELECT * FROM users WHERE name = '${name}'`);
  const query = "SELECT * FROM users WHERE name = ?";
  return db.all(query, [name]);
}
