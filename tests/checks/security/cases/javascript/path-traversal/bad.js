const fs = require("fs");
const path = require("path");

app.get("/show", (req, res) => {
  res.send(fs.readFileSync("uploads/" + req.query.name)); // bad
});

app.get("/download", (req, res) => {
  res.sendFile(path.join(__dirname, "uploads", req.params.name)); // bad
});

app.get("/variable", async (req, res) => {
  const name = req.query.name;
  fs.readFile(`uploads/${name}`, (error, text) => res.send(text)); // bad
});

app.get("/taken-apart", (req, res) => {
  const { name } = req.params;
  const file = path.join("uploads", name); // bad
  res.download(file);
});

function remove(request, reply) {
  fs.unlinkSync(request.body["file"]); // bad
  fs.createReadStream(request.query.file).pipe(reply); // bad
}
