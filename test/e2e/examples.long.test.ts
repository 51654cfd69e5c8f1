import { expect, it } from "vitest";
import { EXAMPLES } from "./support/examples";
import { Reader } from "./support/reader";

it.each(Object.entries(EXAMPLES))(
  "examples/%s of the packed package does what its README says, from the first command to the last",
  async (name, { holds = {}, signaled, prints = [], has }) => {
    await using reader = await Reader.of(name);
    const env = (await has?.(reader)) ?? {};
    const printed = await reader.follow(env, async () => {
      for (const [port, sets] of Object.entries(holds)) {
        const emulator = await reader.emulatorAt(port);
        for (const [url, entries] of Object.entries(sets))
          expect((await emulator.prefixSet(url)).applied, `${port}: ${url}`).toEqual(entries);
      }
      if (signaled) expect(Object.values(await (await reader.emulatorAt("8080")).signalings).flat()).toEqual(signaled);
    });
    for (const words of prints) expect(printed).toMatch(words);
  },
  600_000,
);
