async fn checked(Path(name): Path<String>) -> Option<Vec<u8>> {
    let file = Path::new("uploads").join(name).canonicalize().ok()?;
    if !file.starts_with("uploads") {
        return None;
    }
    fs::read(file).ok()
}

async fn only_the_name(Path(name): Path<PathBuf>) -> Vec<u8> {
    fs::read(Path::new("uploads").join(name.file_name().unwrap())).unwrap()
}

async fn numbered(Path(id): Path<u64>) -> Vec<u8> {
    fs::read(Path::new("uploads").join(id.to_string())).unwrap()
}

async fn constant(Path(name): Path<String>) -> String {
    let text = fs::read_to_string("uploads/list.txt").unwrap();
    text + &name
}

fn read(name: &str) -> Vec<u8> {
    fs::read(Path::new("uploads").join(name)).unwrap()
}

fn sentence(words: &[String], separator: web::Path<String>) -> String {
    words.concat() + &separator
}
