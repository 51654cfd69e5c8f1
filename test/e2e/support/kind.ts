/** Which resources the programs of journeys have: the project `plugin` sets it (vitest.config.mts). */
export const KIND = process.env.PACKETFILTER_E2E_KIND === "plugin" ? "plugin" : "dynamic";
