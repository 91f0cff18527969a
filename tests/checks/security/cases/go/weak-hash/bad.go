package shop

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"io"
)

func store(user *User, password string, salt string) {
	user.Hash = md5.Sum([]byte(password)) // bad
	user.Hash = sha1.Sum([]byte(salt + user.Password)) // bad
	user.Hash = sha256.Sum256([]byte(password)) // bad
	user.Reset = md5.Sum([]byte(user.ResetToken)) // bad
}

func hashPassword(text string) [16]byte {
	return md5.Sum([]byte(text)) // bad
}

func stream(password string) []byte {
	hash := sha1.New() // bad
	io.WriteString(hash, password)
	return hash.Sum(nil)
}
