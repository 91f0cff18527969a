class Config {
    private static final String PASSWORD_FIELD = "password";
    static final String NEW_PASSWORD = "new_password";
    static final String TOKEN_URL = "https://login.example.com/v2/token";
    static final String JWT_SECRET = "jwt_secret";
    static final String SECRET = "oauth2.v1.client";
    String password = System.getenv("DB_PASSWORD");
    String database = "mysql://user:password@localhost/shop";

    boolean connect(DataSource source, String user, String password) throws SQLException {
        source.setPassword(password);
        source.setPassword("");
        source.setPasswordCharset("utf-8-strict");
        DriverManager.getConnection("jdbc:postgresql://db/shop", user, password);
        logger.info("no password for {}", "hunter2");
        errors.rejectValue("password", "too.short");
        return password.equals("") || password.isEmpty();
    }
}
