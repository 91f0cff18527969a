class Client {
    TrustManager everybody = new X509TrustManager() {
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override // bad
        public void checkServerTrusted(X509Certificate[] chain, String type) {
            // nothing
        }
    };

    HostnameVerifier anyName = new HostnameVerifier() {
        public boolean verify(String host, SSLSession session) { // bad
            return true;
        }
    };

    void connect(HttpsURLConnection connection) {
        connection.setHostnameVerifier((host, session) -> true); // bad
        HttpsURLConnection.setDefaultHostnameVerifier((host, session) -> { return true; }); // bad
        HttpClients.custom().setSSLHostnameVerifier(NoopHostnameVerifier.INSTANCE).build(); // bad
        SslContextBuilder.forClient().trustManager(InsecureTrustManagerFactory.INSTANCE); // bad
    }
}
