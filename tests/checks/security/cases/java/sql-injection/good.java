class Users {
    private static final String TABLE = "users";

    void find(Connection connection, String name, int limit, String placeholders) throws SQLException {
        PreparedStatement statement =
            connection.prepareStatement("SELECT * FROM users WHERE name = ?");
        statement.setString(1, name);
        connection.prepareStatement("SELECT * FROM users " + "WHERE name = ?");
        connection.prepareStatement("SELECT * FROM " + TABLE + " WHERE name = ?");
        connection.prepareStatement("SELECT * FROM users WHERE name IN (" + placeholders + ")");
        connection.prepareStatement(String.format("SELECT * FROM users LIMIT %d", limit));
        entityManager.createQuery("from User u where u.name = :name").setParameter("name", name);
        hash.update("Select a name " + name);
        logger.info("SELECT * FROM users WHERE name = '" + name + "'");
        String query = "SELECT * FROM users WHERE name = ?";
        jdbcTemplate.query(query, mapper, name);
    }
}
