class Passwords {
    byte[] store(String password, String salt) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("MD5"); // bad
        digest.update(salt.getBytes());
        return digest.digest(password.getBytes());
    }

    byte[] quick(User user) throws Exception {
        MessageDigest digest = MessageDigest.getInstance("SHA-256"); // bad
        return digest.digest(user.getPassword().getBytes());
    }

    String hashPassword(String text) throws Exception {
        return hex(MessageDigest.getInstance("SHA-1").digest(text.getBytes())); // bad
    }

    String shorter(String password, User user) {
        String first = DigestUtils.md5Hex(password); // bad
        return first + DigestUtils.sha1Hex(user.getResetToken()); // bad
    }
}
