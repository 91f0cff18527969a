package shop

import (
	"crypto/tls"

	"golang.org/x/crypto/ssh"
)

func client(config *tls.Config, key ssh.PublicKey, testing bool) *ssh.ClientConfig {
	config = &tls.Config{MinVersion: tls.VersionTLS13}
	config.InsecureSkipVerify = false
	config.SessionTicketsDisabled = true
	other := tls.Config{InsecureSkipVerify: testing}
	config.Certificates = other.Certificates
	return &ssh.ClientConfig{HostKeyCallback: ssh.FixedHostKey(key)}
}
