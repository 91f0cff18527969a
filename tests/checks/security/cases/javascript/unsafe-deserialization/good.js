const serialize = require("serialize-javascript");
const yaml = require("js-yaml");

function read(text, value) {
  JSON.parse(text);
  serialize(value);
  yaml.load(text);
  yaml.load(text, { schema: yaml.JSON_SCHEMA });
  structuredClone(value);
  return url.parse(text);
}
