export async function find(db: Pool, name: string): Promise<User[]> {
  const query: string = "SELECT * FROM users WHERE name = $1";
  const first = <User>(await db.query(query, [name]));
  return [first, ...(await db.query<User>(query, [name])).rows];
}
