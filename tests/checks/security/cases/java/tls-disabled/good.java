class Client {
    TrustManager pinned = new X509TrustManager() {
        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            delegate.checkServerTrusted(chain, type);
        }
    };

    HostnameVerifier oneName = new HostnameVerifier() {
        public boolean verify(String host, SSLSession session) {
            return host.equals("db.internal");
        }
    };

    boolean verify(String text) {
        return true;
    }

    void connect(HttpsURLConnection connection) {
        connection.setHostnameVerifier((host, session) -> host.endsWith(".internal"));
        names.removeIf((name) -> true);
        HttpClients.custom().setSSLHostnameVerifier(new DefaultHostnameVerifier()).build();
    }
}
