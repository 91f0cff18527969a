class Orders {
    Object read(InputStream stream, String text) throws Exception {
        Object first = new ObjectInputStream(stream).readObject(); // bad
        try (ObjectInputStream objects = new ObjectInputStream(new BufferedInputStream(stream))) { // bad
            first = objects.readObject();
        }
        XMLDecoder decoder = new XMLDecoder(stream); // bad
        Yaml yaml = new Yaml(); // bad
        new XStream().fromXML(text); // bad
        mapper.enableDefaultTyping(); // bad
        mapper.activateDefaultTyping(LaissezFaireSubTypeValidator.instance); // bad
        return yaml.load(text);
    }
}
