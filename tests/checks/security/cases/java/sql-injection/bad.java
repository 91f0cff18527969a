class Users {
    void find(Connection connection, Statement statement, String name, String table) throws SQLException {
        statement.executeQuery("SELECT * FROM users WHERE name = '" + name + "'"); // bad
        statement.executeUpdate(String.format("DELETE FROM users WHERE name = '%s'", name)); // bad
        connection.prepareStatement("SELECT * FROM " + table + " WHERE id = ?"); // bad
        entityManager.createQuery("from User u where u.name = '" + name + "'"); // bad
        jdbcTemplate.queryForObject("SELECT id FROM users WHERE name = '%s'".formatted(name), Long.class); // bad
        statement.execute( // bad
            "INSERT INTO users (name) "
                + "VALUES ('" + name + "')");
        String query = "UPDATE users SET name = '" + name + "' WHERE id = 1";
        statement.executeUpdate(query); // bad
    }
}
