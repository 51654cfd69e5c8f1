// @ts-check
/**
 * The package as a program has it whose resources are all the plugin's: a provider with the stack's configuration stands in for the option
 * `provider` where a program gives none.
 *
 * @param {Record<string, any>} pulumi The SDK, of whose configuration the types tell less than it has.
 * @param {Record<string, any>} pf
 */
module.exports = (pulumi, pf) => {
  /** @type {object | undefined} */
  let made;
  const provider = () => {
    const given = Object.entries(pulumi.runtime.allConfig()).filter(([key]) => key.startsWith("packetfilter:"));
    const inputs = given.map(([key, value]) => [
      key.slice("packetfilter:".length),
      /** @type {any} */ (pulumi.runtime).isConfigSecret(key) ? pulumi.secret(value) : value,
    ]);

    const Provider = /** @type {new (...all: any[]) => import("@pulumi/pulumi").ProviderResource} */ (
      /** @type {unknown} */ (pulumi.ProviderResource)
    );
    made ??= new Provider("packetfilter", "native", Object.fromEntries(inputs));
    return made;
  };
  const isGiven = (/** @type {any} */ options) => options?.provider ?? options?.providers ?? options?.parent;
  const classes = ["PrefixSet", "PrefixSetGroup", "PrefixSetEntry", "CloudSignaling"].map((name) => {
    const Dynamic = /** @type {new (...all: any[]) => object} */ (pf[name]);
    const Native = class extends Dynamic {
      constructor(/** @type {string} */ own, /** @type {object} */ args, /** @type {object} */ options) {
        super(own, args, isGiven(options) ? options : { ...options, provider: provider() });
      }
    };
    return [name, Native];
  });
  return { ...pf, ...Object.fromEntries(classes) };
};
