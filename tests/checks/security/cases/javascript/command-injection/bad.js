const { exec, execSync, spawn } = require("child_process");
const child_process = require("node:child_process");

function archive(folder, name) {
  exec("tar czf backup.tgz " + folder); // bad
  exec(`rm -rf ${folder}/${name}`, (error) => console.log(error)); // bad
  execSync(`git log ${name}`, { encoding: "utf8" }); // bad
  child_process.exec("du -sh " + folder); // bad
  spawn(`ls ${folder}`, { shell: true }); // bad
  spawn("sh", ["-c", `cat ${name} | wc -l`]); // bad
  const command = `convert ${name} out.png`;
  return execSync(command); // bad
}

app.get("/ping", (req, res) => {
  child_process.exec(req.query.command, (error, out) => res.send(out)); // bad
  const host = "ping -c 1 " + req.query.host;
  exec(host, () => res.end()); // bad
});
