// What the engine itself costs: a dynamic resource that takes the same arguments and does nothing.
const pulumi = require("@pulumi/pulumi");

const provider = { create: async (inputs) => ({ id: "nothing", outs: inputs }) };

exports.Nothing = class extends pulumi.dynamic.Resource {
  constructor(name, args) {
    super(provider, name, args);
  }
};
