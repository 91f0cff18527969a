const https = require("https");
const tls = require("tls");

process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0"; // bad
process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = 0; // bad

const agent = new https.Agent({ rejectUnauthorized: false }); // bad
const options = {
  host: "db",
  ssl: { "rejectUnauthorized": false }, // bad
  strictSSL: false, // bad
};
options.rejectUnauthorized = false; // bad
tls.connect({ port: 443, checkServerIdentity: () => undefined }); // bad
tls.connect({ port: 443, checkServerIdentity: () => {} }); // bad
