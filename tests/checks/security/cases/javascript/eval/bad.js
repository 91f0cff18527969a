const vm = require("vm");

function calculate(expression, name) {
  eval(expression); // bad
  eval("(" + expression + ")"); // bad
  window.eval(`${expression}`); // bad
  new Function("x", "return " + expression); // bad
  new Function(expression)(); // bad
  setTimeout("update('" + name + "')", 100); // bad
  setInterval(`poll(${name})`, 100); // bad
  return vm.runInNewContext(expression, {}); // bad
}
