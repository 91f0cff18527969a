package shop

import (
	"fmt"
	"os"
)

const passwordField = "password"
const newPassword = "new_password"
const tokenURL = "https://login.example.com/v2/token"
const JWTSecret = "jwt_secret"
const secret = "oauth2.v1.client"

var dbPassword = os.Getenv("DB_PASSWORD")
var keys = map[string]string{"SHOP_SIGNING_KEY": shopKey(), "encryptionKey": "encryptionKey1024"}
var database = "postgres://user:password@localhost/shop"

func connect(config *Config, user string, password string) error {
	config.Password = ""
	config.Token = os.Getenv("TOKEN_FILE_2024_V10")
	config.Database = fmt.Sprintf("postgres://%s:%s@%s/shop", user, password, config.Host)
	labels := map[string]string{"password": "Password", "token": "Your token"}
	if password == "" {
		return fmt.Errorf("no password for %s, not even hunter2", labels["password"])
	}
	password = fmt.Sprint("hunter2", user)
	return config.Check("password", "hunter2")
}
