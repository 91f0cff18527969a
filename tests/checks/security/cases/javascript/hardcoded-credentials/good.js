const dbPassword = process.env.DB_PASSWORD;
const apiKey = process.env.API_KEY ?? "";
const passwordField = "password-input";
const newPassword = "new-password";
const token = "accessToken";
const tokenUrl = "https://login.example.com/v2/token";
const JWT_SECRET = "jwt_secret";
const keys = { "SHOP_SIGNING_KEY": process.env.KEY, encryptionKey: "encryptionKey1024" };
const secret = "oauth2.v1.client";
const database = "mongodb://user:password@localhost:27017/shop";
const template = `postgres://${user}:${password}@${host}/shop`;
const labels = { password: "Password", apiKey: "API key", token: "Your token" };
const input = { type: "password", autocomplete: "current-password" };
const types = { password: "string", token: "string" };
const schema = { password: "required" };
const empty = { password: "", secret: "<your secret>" };
const errors = { password: "Too short to be safe" };

function connect(user, password = "") {
  if (password === "") throw new Error("no password for hunter2");
  return user.connect({ password, token: user.token });
}
