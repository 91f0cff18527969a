use std::process::Command;

const LISTING: &str = "ls -la | head";

fn archive(folder: &str, name: &str) -> std::io::Result<()> {
    Command::new("tar").arg("czf").arg("backup.tgz").arg(folder).status()?;
    Command::new("sh").arg("-c").arg("ls -la | wc -l").status()?;
    Command::new("sh").args(["-c", "ls -la | wc -l"]).status()?;
    Command::new("sh").arg("-c").arg(LISTING).status()?;
    Command::new("sh").arg("script.sh").arg(name).status()?;
    Command::new("git").args(["-c", &format!("user.name={name}"), "commit"]).status()?;
    Command::new(name).arg("-c").arg(folder).status()?;
    Command::new("sh").arg("-c").arg("make").current_dir(folder).status()?;
    Ok(())
}
