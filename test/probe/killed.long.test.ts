import { expect, test } from "vitest";
import { useFolder } from "../support/folder";
import { APPLIANCES, type ApplianceName } from "./appliances/appliance";
import { cleaned, killedAt, ownNode, startAppliance } from "./appliances/probing";

const EVERY = 10;

const folder = useFolder();

/** Each as it is, and the one that needs a module of the user's own with that, too. */
const REACHED: readonly (readonly [name: ApplianceName, how: "plainly" | "with a reader"])[] = [
  ...APPLIANCES.map((name) => [name, "plainly"] as const),
  ["padded", "with a reader"],
];

test.each(REACHED)(
  "a probe of %s, reached %s, that is killed at every tenth request leaves nothing once --clean has run",
  async (name, how) => {
    const left: unknown[] = [];
    for (let request = EVERY; ; request += EVERY) {
      await using appliance = await startAppliance(name);
      const node = how === "plainly" ? { endpoint: appliance.url } : await ownNode(appliance, name, folder);
      const notes = await killedAt(appliance, request, { node });
      if (appliance.requests < request) {
        // A probe that ends before it asks for much would be killed nowhere.
        expect(request).toBeGreaterThan(4 * EVERY);
        break;
      }
      const told = await cleaned(appliance, notes, { node });
      appliance.endSessions();
      const held = { ...appliance.held("edge/probe"), ...appliance.held("edge/blocked") };
      if (told.length > 0 || Object.keys(held).length > 0 || appliance.waiting() > 0 || appliance.signaled().length > 0)
        left.push({ request, told, held, waiting: appliance.waiting(), signaled: appliance.signaled(), notes });
    }
    expect(left).toEqual([]);
  },
);
