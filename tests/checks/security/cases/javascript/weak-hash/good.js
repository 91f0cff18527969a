const crypto = require("crypto");
const { createHash } = require("crypto");
const bcrypt = require("bcrypt");
const md5 = require("md5");

async function store(user, password, salt, content) {
  user.hash = crypto.scryptSync(password, salt, 64);
  user.hash = crypto.pbkdf2Sync(password, salt, 600000, 64, "sha512");
  user.hash = await bcrypt.hash(createHash("sha256").update(password).digest("hex"), 12);
  const etag = createHash("md5").update(content).digest("hex");
  const name = md5(content);
  const fingerprint = createHash("sha256").update(user.token).digest("hex");
  return [etag, name, fingerprint, crypto.createHmac("sha1", salt).update(content)];
}
