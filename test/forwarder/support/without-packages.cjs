/** Loaded before a program: for it, the packages are not there that only some sinks need. */
const { registerHooks } = require("node:module");

const OPTIONAL = /^(@platformatic\/kafka|@nats-io\/|@opentelemetry\/otlp-transformer)/;

registerHooks({
  resolve(specifier, context, next) {
    if (OPTIONAL.test(specifier)) throw new Error(`Cannot find package '${specifier}'`);
    return next(specifier, context);
  },
});
