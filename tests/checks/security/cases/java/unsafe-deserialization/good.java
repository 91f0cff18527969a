class Orders {
    Object read(InputStream stream, String text) throws Exception {
        Order order = new ObjectMapper().readValue(text, Order.class);
        Yaml yaml = new Yaml(new SafeConstructor(new LoaderOptions()));
        new ValidatingObjectInputStream(stream).accept(Order.class);
        new DataInputStream(stream).readInt();
        mapper.activateDefaultTyping(validator, DefaultTyping.NON_FINAL);
        return yaml.load(text);
    }

    Object filtered(InputStream stream) throws Exception {
        ObjectInputStream objects = new ObjectInputStream(stream);
        objects.setObjectInputFilter(FILTER);
        return objects.readObject();
    }

    void write(OutputStream stream, Order order) throws Exception {
        new ObjectOutputStream(stream).writeObject(order);
    }
}
