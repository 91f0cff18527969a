const dbPassword = "hunter2"; // bad
const API_KEY = "9f86d081884c7d659a2feaa0"; // bad
const JWT_SECRET = "supersecret"; // bad
const key = "AKIAQ3EGZXUVN5TPKLMD"; // bad
const database = "mongodb+srv://shop:Tr0ub4dor@cluster0.mongodb.net/shop"; // bad
const options = {
  host: "db",
  password: "correct-horse", // bad
  "apiKey": 'b5bb9d8014a0f9b1d61e21e7', // bad
  clientSecret: `q8Zr7kd0Lx`, // bad
};

config.password = "s3cr3t!"; // bad
config["secret_key"] = "my-secret-key"; // bad

function connect(user, password = "letmein") { // bad
  return user === "admin" && password === "opensesame"; // bad
}

class Client {
  #token = "3c9909afec25354d551dae21590bb26e"; // bad
  password = "open-sesame"; // bad
}
