use std::process::Command;

fn archive(folder: &str, name: &str) -> std::io::Result<()> {
    Command::new("sh").arg("-c").arg(format!("tar czf backup.tgz {folder}")).status()?; // bad
    Command::new("bash").args(["-c", &format!("rm -rf {}/{}", folder, name)]).status()?; // bad
    std::process::Command::new("/bin/sh").arg("-c").arg(name).spawn()?; // bad
    Command::new("cmd").args(&["/C", name]).spawn()?; // bad
    let output = Command::new("sh") // bad
        .arg("-c")
        .arg(&format!("du -sh {}", folder))
        .output()?;
    drop(output);
    Ok(())
}
