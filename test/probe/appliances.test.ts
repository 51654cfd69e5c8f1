import { expect, test } from "vitest";
import { APPLIANCES } from "./appliances/appliance";
import { probed, startAppliance } from "./appliances/probing";

test.each(APPLIANCES)("the probe of %s leaves it as it was", async (name) => {
  await using appliance = await startAppliance(name);
  const { left } = await probed(appliance);
  const [held, waiting, signaled] = [appliance.held("edge/probe"), appliance.waiting(), appliance.signaled()];
  expect({ held, waiting, signaled, left }).toEqual({ held: {}, waiting: 0, signaled: [], left: [] });
});
