const vm = require("vm");

function calculate(expression, model, callback) {
  JSON.parse(expression);
  eval("1 + 1");
  model.eval(expression);
  page.$eval("#total", (element) => element.textContent);
  new Function("return this");
  setTimeout(callback, 100);
  setTimeout(() => callback(`${expression}`), 100);
  vm.runInNewContext("1 + 1", {});
  return evaluate(expression);
}
