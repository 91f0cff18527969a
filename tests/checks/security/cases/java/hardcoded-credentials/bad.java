class Config {
    private static final String DB_PASSWORD = "hunter2"; // bad
    static final String API_KEY = "9f86d081884c7d659a2feaa0"; // bad
    String jwtSecret = "supersecret"; // bad
    String key = "AKIAQ3EGZXUVN5TPKLMD"; // bad
    String database = "mysql://shop:Tr0ub4dor@db.internal/shop"; // bad

    boolean connect(DataSource source, String user, String password) throws SQLException {
        this.token = "3c9909afec25354d551dae21590bb26e"; // bad
        source.setPassword("s3cr3t!"); // bad
        DriverManager.getConnection("jdbc:postgresql://db/shop", "shop", "correct-horse"); // bad
        if (password.equals("opensesame")) { // bad
            return true;
        }
        return "opensesame".equals(password); // bad
    }
}
