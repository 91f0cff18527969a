package shop

import (
	"crypto/tls"
	"net/http"

	"golang.org/x/crypto/ssh"
)

func client(config *tls.Config) *ssh.ClientConfig {
	http.DefaultTransport = &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, // bad
	}
	config.InsecureSkipVerify = true // bad
	other := tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, // bad
	}
	config.Certificates = other.Certificates
	return &ssh.ClientConfig{HostKeyCallback: ssh.InsecureIgnoreHostKey()} // bad
}
