const https = require("https");
const tls = require("tls");

process.env.NODE_TLS_REJECT_UNAUTHORIZED = "1";

const agent = new https.Agent({ rejectUnauthorized: true });
const strict = process.env.NODE_ENV === "production";
const options = { ca: certificate, rejectUnauthorized: strict, keepAlive: false };
delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
console.log("rejectUnauthorized: false");
tls.connect({ port: 443, checkServerIdentity: (host, cert) => pinned(host, cert) });
