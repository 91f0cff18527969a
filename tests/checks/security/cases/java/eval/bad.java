class Calculator {
    Object calculate(ScriptEngine engine, String expression) throws Exception {
        engine.eval(expression); // bad
        engine.eval("1 + " + expression, bindings); // bad
        new ScriptEngineManager().getEngineByName("js").eval(expression); // bad
        new GroovyShell().evaluate(expression); // bad
        Ognl.getValue(expression, context); // bad
        ExpressionParser parser = new SpelExpressionParser();
        return parser.parseExpression(expression).getValue(); // bad
    }
}
