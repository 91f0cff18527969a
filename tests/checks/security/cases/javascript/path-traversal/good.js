const fs = require("fs");
const path = require("path");

app.get("/show", (req, res) => {
  res.send(fs.readFileSync(path.join("uploads", path.basename(req.query.name))));
});

app.get("/download", (req, res) => {
  res.sendFile(req.params.name, { root: "uploads" });
});

app.get("/checked", (req, res) => {
  const target = path.resolve("uploads", req.query.name);
  if (!target.startsWith(path.resolve("uploads") + path.sep)) return res.sendStatus(404);
  return res.sendFile(target);
});

app.get("/numbered", (req, res) => {
  res.send(fs.readFileSync(`uploads/${Number(req.params.id)}.txt`));
});

app.get("/constant", (req, res) => {
  const count = req.query.count;
  fs.readFile("uploads/list.txt", (error, text) => res.send(text.slice(0, 1)));
  return count;
});

function read(name) {
  return fs.readFileSync(path.join(__dirname, name));
}
