import { expect, test } from "vitest";
import { APPLIANCES } from "./appliances/appliance";
import { cleaned, killedAt, startAppliance } from "./appliances/probing";

const EVERY = 10;

test.each(APPLIANCES)(
  "a probe of %s that is killed at every tenth request leaves nothing once --clean has run",
  async (name) => {
    const left: unknown[] = [];
    for (let request = EVERY; ; request += EVERY) {
      await using appliance = await startAppliance(name);
      const notes = await killedAt(appliance, request);
      if (appliance.requests < request) {
        // A probe that ends before it asks for much would be killed nowhere.
        expect(request).toBeGreaterThan(4 * EVERY);
        break;
      }
      const told = await cleaned(appliance, notes);
      appliance.endSessions();
      const held = { ...appliance.held("edge/probe"), ...appliance.held("edge/blocked") };
      if (told.length > 0 || Object.keys(held).length > 0 || appliance.waiting() > 0 || appliance.signaled().length > 0)
        left.push({ request, told, held, waiting: appliance.waiting(), signaled: appliance.signaled(), notes });
    }
    expect(left).toEqual([]);
  },
);
