package shop

import "os/exec"

func archive(folder string, name string) error {
	exec.Command("tar", "czf", "backup.tgz", folder).Run()
	exec.Command("sh", "-c", "ls -la | wc -l").Run()
	exec.Command("sh", "-c", "ls -la "+"| wc -l").Run()
	exec.Command(name, "-c", folder).Run()
	exec.Command("sh", "script.sh", folder).Run()
	return exec.Command("git", "log", "-c", name).Run()
}
