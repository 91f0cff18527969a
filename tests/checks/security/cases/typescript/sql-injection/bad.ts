export async function find(db: Pool, name: string): Promise<User[]> {
  const query: string = `SELECT * FROM users WHERE name = '${name}'`;
  const { rows } = await db.query<User>(query); // bad
  return (await db.query<User>("SELECT * FROM users WHERE id = " + name)).rows as User[]; // bad
}
