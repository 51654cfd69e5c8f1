/** A program whose resources have a provider of the plugin, with the stack's configuration: `native` is the option that gives it. */
export function native(resources: string): string {
  return `
    const config = new pulumi.Config("packetfilter");
    const provider = new pf.Provider("native", {
      endpoint: config.require("endpoint"),
      signalingUrl: config.require("signalingUrl"),
      clientId: config.require("clientId"),
      secretKey: config.requireSecret("secretKey"),
      node: { timeoutMs: 5_000 },
    });
    const native = { provider };
    ${resources}`;
}

/** The set that journeys of the plugin use, by default of its provider. */
export const set = (entries: unknown, options = "native") => `
  const blocked = new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries: ${JSON.stringify(entries)} }, ${options});
  exports.url = blocked.url;
  exports.held = blocked.count;
`;
