use md5::{Digest, Md5};
use sha1::Sha1;
use sha2::Sha256;

fn store(user: &mut User, password: &str, salt: &str) {
    user.hash = format_hash(md5::compute(password)); // bad
    user.hash = format_hash(Md5::digest(password.as_bytes())); // bad
    user.hash = format_hash(Sha1::digest((salt.to_owned() + &user.password).as_bytes())); // bad
    user.hash = format_hash(Sha256::digest(password)); // bad
    let mut hasher = Sha1::new(); // bad
    hasher.update(password);
}

fn hash_password(text: &str) -> String {
    format_hash(md5::compute(text)) // bad
}
