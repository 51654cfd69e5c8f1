/** Which resources the programs of journeys have: the project `plugin` sets it (vitest.config.mts). */
export const KIND = process.env.PACKETFILTER_E2E_KIND === "plugin" ? "plugin" : "dynamic";

/** The token of a resource in what the engine prints. */
export const tokenOf = (type: string): string =>
  KIND === "plugin" ? `packetfilter:index:${type}` : `pulumi-nodejs:dynamic/packetfilter:${type}`;
