import os
import re
import shlex
import subprocess

LISTING = "ls -la | head"
GIT = "git"


def archive(folder, name, pool, task):
    subprocess.run(["tar", "czf", "backup.tgz", folder], check=True)
    subprocess.run(["ls", folder], shell=False)
    subprocess.run("ls -la | wc -l", shell=True, check=True)
    subprocess.run("ls " "-la", shell=True)
    subprocess.run(LISTING, shell=True)
    subprocess.run(f"{GIT} status | head", shell=True)
    subprocess.run(f"cat {shlex.quote(name)} | wc", shell=True)
    subprocess.run(shlex.join(["echo", name]), shell=True)
    subprocess.run(  # the shell is for the pipe
        "ls | wc -l",
        shell=True,
    )
    os.system("clear")
    pool.run(task)
    re.compile(name).search(folder)
    subprocess.run(f"echo {name}")
