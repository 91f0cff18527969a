package shop

const dbPassword = "hunter2" // bad

const (
	apiKey           = "9f86d081884c7d659a2feaa0" // bad
	JWTSecret string = "supersecret"              // bad
)

var key = "AKIAQ3EGZXUVN5TPKLMD" // bad
var jwtSecret = []byte("my-secret-key") // bad
var database = "postgres://shop:Tr0ub4dor@db.internal/shop" // bad

func connect(config *Config, user string, password string) bool {
	token := "3c9909afec25354d551dae21590bb26e" // bad
	config.Password = "s3cr3t!" // bad
	config.Options = Options{
		Host:     "db",
		Password: "correct-horse", // bad
		Token:    token,
	}
	headers := map[string]string{"api_key": "b5bb9d8014a0f9b1d61e21e7"} // bad
	return user == headers["user"] && password == "opensesame" // bad
}
