const DB_PASSWORD: &str = "hunter2"; // bad
pub const API_KEY: &'static str = "9f86d081884c7d659a2feaa0"; // bad
static JWT_SECRET: &[u8] = b"supersecret"; // bad
const KEY: &str = "AKIAQ3EGZXUVN5TPKLMD"; // bad
const DATABASE: &str = "postgres://shop:Tr0ub4dor@db.internal/shop"; // bad

fn connect(config: &mut Config, user: &str, password: &str) -> bool {
    let token = "3c9909afec25354d551dae21590bb26e"; // bad
    let secret_key: String = "my-secret-key".to_string(); // bad
    config.password = "s3cr3t!".into(); // bad
    config.options = Options {
        host: "db".to_owned(),
        password: "correct-horse".to_owned(), // bad
        token: token.to_owned(),
        secret_key,
    };
    user == "admin" && password == "opensesame" // bad
}
