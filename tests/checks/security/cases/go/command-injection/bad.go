package shop

import (
	"context"
	"fmt"
	"os/exec"
)

func archive(ctx context.Context, folder string, name string) error {
	exec.Command("sh", "-c", "tar czf backup.tgz "+folder).Run() // bad
	exec.Command("bash", "-c", fmt.Sprintf("rm -rf %s/%s", folder, name)).Run() // bad
	exec.CommandContext(ctx, "/bin/sh", "-c", name).Run() // bad
	exec.Command("cmd", "/C", "dir "+folder).Run() // bad
	return exec.Command( // bad
		"sh",
		"-c",
		"du -sh "+folder,
	).Run()
}
