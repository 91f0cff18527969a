fn client(builder: &mut SslConnectorBuilder, checking: bool) -> Result<Client> {
    builder.set_verify(SslVerifyMode::PEER);
    reqwest::Client::builder().danger_accept_invalid_certs(false).build()?;
    reqwest::Client::builder().danger_accept_invalid_certs(!checking).build()?;
    reqwest::Client::builder().https_only(true).build()
}

#[cfg(test)]
mod tests {
    fn client() -> Client {
        Client::builder().danger_accept_invalid_certs(true).build().unwrap()
    }
}
