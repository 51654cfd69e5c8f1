import { expect, test } from "vitest";
import { APPLIANCES } from "./appliances/appliance";
import { cleaned, killedAt, probed, startAppliance } from "./appliances/probing";

test.each(APPLIANCES)("the probe of %s leaves it as it was", async (name) => {
  await using appliance = await startAppliance(name);
  const { left } = await probed(appliance);
  const [held, waiting, signaled] = [appliance.held("edge/probe"), appliance.waiting(), appliance.signaled()];
  expect({ held, waiting, signaled, left }).toEqual({ held: {}, waiting: 0, signaled: [], left: [] });
});

/** Every tenth request, of each appliance, is killed at in the long tests. */
test.each([25, 45, 65, 105, 135, 165])(
  "a probe of the late and exact one that is killed at request %i leaves nothing once --clean has run",
  async (request) => {
    await using appliance = await startAppliance("text");
    const notes = await killedAt(appliance, request);
    expect(await cleaned(appliance, notes)).toEqual([]);
    const [held, waiting, signaled] = [appliance.held("edge/probe"), appliance.waiting(), appliance.signaled()];
    expect({ held, waiting, signaled }).toEqual({ held: {}, waiting: 0, signaled: [] });
  },
);
