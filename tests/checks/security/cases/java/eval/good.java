class Calculator {
    private static final String SCRIPT = "1 + 1";

    Object calculate(ScriptEngine engine, XPath path, String expression) throws Exception {
        engine.eval("1 + 1");
        engine.eval(SCRIPT);
        parser.parseExpression("name.length()").getValue();
        path.evaluate(expression, document);
        model.eval(expression);
        return new ObjectMapper().readTree(expression);
    }
}
