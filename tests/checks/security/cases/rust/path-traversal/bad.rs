async fn show(Path(name): Path<String>) -> String {
    fs::read_to_string(format!("uploads/{}", name)).unwrap() // bad
}

async fn joined(Path(name): Path<String>) -> Vec<u8> {
    let file = PathBuf::from("uploads").join(name); // bad
    tokio::fs::read(file).await.unwrap()
}

async fn borrowed(name: web::Path<String>) -> NamedFile {
    NamedFile::open(Path::new("uploads").join(&*name)).unwrap() // bad
}

async fn matched(req: HttpRequest) -> NamedFile {
    NamedFile::open(UPLOADS.join(req.match_info().query("name"))).unwrap() // bad
}

async fn by_variable(req: HttpRequest) -> Vec<u8> {
    let name = req.match_info().get("name").unwrap();
    std::fs::read(Path::new("uploads").join(name)).unwrap() // bad
}

async fn removed(Query(name): Query<String>) {
    fs::remove_file(&name).unwrap(); // bad
}
