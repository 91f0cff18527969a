use argon2::{Argon2, PasswordHasher};
use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::Sha256;

fn store(user: &mut User, password: &str, salt: &SaltString) -> Result<()> {
    user.hash = Argon2::default().hash_password(password.as_bytes(), salt)?.to_string();
    user.fingerprint = format_hash(Sha256::digest(&user.token));
    Ok(())
}

fn etag(content: &[u8]) -> String {
    let mut hasher = Sha1::new();
    hasher.update(content);
    format_hash(md5::compute(content)) + &format_hash(Md5::digest(content))
}
