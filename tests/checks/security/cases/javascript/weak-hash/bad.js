const crypto = require("crypto");
const { createHash } = require("crypto");
const md5 = require("md5");

function store(user, password, salt) {
  user.hash = crypto.createHash("md5").update(password).digest("hex"); // bad
  user.hash = crypto.createHash('sha1').update(salt + password).digest("hex"); // bad
  user.hash = createHash("sha256").update(user.password, "utf8").digest(); // bad
  user.hash = md5(password); // bad
  return crypto // bad
    .createHash("md5")
    .update(user.resetToken)
    .digest("hex");
}

function hashPassword(text) {
  return createHash("sha1").update(text).digest("hex"); // bad
}

const passwordHash = (text) => createHash("md5").update(text).digest("hex"); // bad
