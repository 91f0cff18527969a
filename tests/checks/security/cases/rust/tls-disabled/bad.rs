fn client(builder: &mut SslConnectorBuilder) -> Result<Client> {
    builder.set_verify(SslVerifyMode::NONE); // bad
    TlsConnector::builder().danger_accept_invalid_hostnames(true).build()?; // bad
    let client = reqwest::Client::builder() // bad
        .timeout(Duration::from_secs(5))
        .danger_accept_invalid_certs(true)
        .build()?;
    Ok(client)
}
