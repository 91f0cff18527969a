class Passwords {
    byte[] store(String password, byte[] salt) throws Exception {
        KeySpec spec = new PBEKeySpec(password.toCharArray(), salt, 600_000, 256);
        return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256").generateSecret(spec).getEncoded();
    }

    String modern(String password) {
        return new BCryptPasswordEncoder().encode(password);
    }

    byte[] etag(byte[] content) throws Exception {
        return MessageDigest.getInstance("MD5").digest(content);
    }

    byte[] fingerprint(String name) throws Exception {
        return MessageDigest.getInstance("SHA-256").digest(name.getBytes());
    }

    String checksum(InputStream stream) throws Exception {
        return DigestUtils.md5Hex(stream);
    }
}
