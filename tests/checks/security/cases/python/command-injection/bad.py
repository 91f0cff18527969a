import asyncio
import os
import subprocess


def archive(folder, name):
    os.system("tar czf backup.tgz " + folder)  # bad
    os.system(f"rm -rf {folder}/{name}")  # bad
    os.popen("du -sh %s" % folder)  # bad
    subprocess.run(f"ls {folder}", shell=True, check=True)  # bad
    subprocess.call("grep {} log.txt".format(name), shell=True)  # bad
    subprocess.check_output(name, shell=True)  # bad
    subprocess.Popen(  # bad
        "convert " + name + " out.png",
        stdout=subprocess.PIPE,
        shell=True,
    )
    subprocess.run(args=f"cat {name}", shell=True)  # bad
    return subprocess.getoutput(f"file {name}")  # bad


async def ping(host):
    return await asyncio.create_subprocess_shell(f"ping -c 1 {host}")  # bad
