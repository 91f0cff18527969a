const PASSWORD_FIELD: &str = "password";
const NEW_PASSWORD: &str = "new_password";
const TOKEN_URL: &str = "https://login.example.com/v2/token";
const JWT_SECRET: &str = "JWT_SECRET";
const SECRET: &str = "oauth2.v1.client";
const DATABASE: &str = "postgres://user:password@localhost/shop";

fn connect(config: &mut Config, user: &str, password: &str) -> Result<()> {
    let password = std::env::var("DB_PASSWORD").unwrap_or_default();
    config.password = String::new();
    config.database = format!("postgres://{user}:{password}@{}/shop", config.host);
    config.label = Label { password: "Password".into(), token: "Your token".into() };
    if password == "" {
        return Err("no password for hunter2".into());
    }
    config.check("password", "hunter2")
}

#[cfg(test)]
mod tests {
    const PASSWORD: &str = "hunter2";
}
