package shop

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"

	"golang.org/x/crypto/bcrypt"
	"golang.org/x/crypto/pbkdf2"
)

func store(user *User, password string, salt []byte, content []byte) []byte {
	user.Hash, _ = bcrypt.GenerateFromPassword([]byte(password), bcrypt.DefaultCost)
	user.Hash = pbkdf2.Key([]byte(password), salt, 600000, 32, sha256.New)
	user.Etag = md5.Sum(content)
	user.Fingerprint = sha256.Sum256([]byte(user.Token))
	return hmac.New(sha1.New, salt).Sum(content)
}

func checksum(content []byte) []byte {
	hash := sha1.New()
	hash.Write(content)
	return hash.Sum(nil)
}
