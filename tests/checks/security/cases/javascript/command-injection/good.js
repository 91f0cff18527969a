const { exec, execFile, execSync, spawn } = require("child_process");

const GIT = "git";

function archive(folder, name, pattern) {
  execFile("tar", ["czf", "backup.tgz", folder]);
  spawn("ls", ["-la", `${folder}/${name}`]);
  spawn("npm", ["run", "build"], { shell: true });
  spawn(`${name}`, ["--version"], { shell: false });
  exec("npm run build");
  exec("npm " + "test");
  execSync(`git status`);
  execSync(`${GIT} status`);
  /a+/.exec(`${folder}/${name}`);
  pattern.exec("x" + name);
  db.exec(`${name}`);
  return exec;
}
