const serialize = require("node-serialize");
const { unserialize } = require("node-serialize");
const yaml = require("js-yaml");
const cryo = require("cryo");
const funcster = require("funcster");

function read(text) {
  serialize.unserialize(text); // bad
  unserialize(Buffer.from(text, "base64").toString()); // bad
  cryo.parse(text); // bad
  funcster.deepDeserialize(text); // bad
  return yaml.load(text, { schema: yaml.DEFAULT_FULL_SCHEMA }); // bad
}
