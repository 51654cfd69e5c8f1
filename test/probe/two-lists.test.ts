import { expect, test } from "vitest";
import { NodeClient } from "../../provider/client";
import { probe } from "../../provider/probe/probe";
import { startAppliance } from "./appliances/probing";

const SET = { kind: "prefixset", arena: "edge", set: "probe" } as const;
test.each([[{}], [{ "192.0.2.0/24": 1 }]])(
  "where no commit was seen it is unknown, and the client names both: with %o applied",
  async (applied) => {
    await using appliance = await startAppliance("candidate");
    for (const [prefix, value] of Object.entries(applied)) appliance.put("edge/probe", prefix, value);
    const client = new NodeClient({ endpoint: appliance.url });
    // Something waits in the list that is not in force.
    await client.insert(SET, { "198.51.100.0/24": 2 });
    const result = await probe({ node: { endpoint: appliance.url }, urls: [SET], world: appliance.world() });
    expect(result.node).toEqual({});
    expect(result.findings.find(({ point }) => point === "set-list")).toMatchObject({
      expressed: "unknown",
      node: expect.stringContaining('answers.path: "running" or answers.path: "candidate"'),
    });
    await expect(client.listPrefixSet(SET)).rejects.toThrow(
      'Name the right one: answers.path: "running" or answers.path: "candidate".',
    );
    await client.close();
  },
);
