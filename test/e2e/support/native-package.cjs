// @ts-check
/**
 * The package as a program has it whose resources are all the plugin's: a provider with the stack's configuration stands in for the option
 * `provider` where a program gives none.
 *
 * @param {typeof import("@pulumi/pulumi")} pulumi
 * @param {Record<string, any>} pf
 */
module.exports = (pulumi, pf) => {
  /** @type {import("@pulumi/pulumi").ProviderResource | undefined} */
  let made;
  const provider = () => {
    const given = Object.entries(pulumi.runtime.allConfig()).filter(([key]) => key.startsWith("packetfilter:"));
    const inputs = given.map(([key, value]) => [
      key.slice("packetfilter:".length),
      pulumi.runtime.isConfigSecret(key) ? pulumi.secret(value) : value,
    ]);
    made ??= new pulumi.ProviderResource("packetfilter", "native", Object.fromEntries(inputs));
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
