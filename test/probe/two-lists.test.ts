import { expect, test } from "vitest";
import { NodeClient } from "../../provider/client";
import { probe } from "../../provider/probe/probe";
import { probed, startAppliance } from "./appliances/probing";

const SET = { kind: "prefixset", arena: "edge", set: "probe" } as const;
const answersOf = ({ node, guesses }: Awaited<ReturnType<typeof probe>>) => ({
  set: node.answers,
  guess: guesses.node.answers,
});

test("of two lists in one answer the one that is unchanged before a commit is the set", async () => {
  await using appliance = await startAppliance("candidate");
  const result = await probed(appliance);
  expect(answersOf(result)).toEqual({ set: { path: { prefixset: "running" } }, guess: undefined });
  expect(result.dialect).toMatchObject({ listEnvelope: "running", listShows: "applied" });
});

test.each([[{}], [{ "192.0.2.0/24": 1 }]])(
  "where no commit was seen it is a guess, and no client rests on it: with %o applied",
  async (applied) => {
    await using appliance = await startAppliance("candidate");
    for (const [prefix, value] of Object.entries(applied)) appliance.put("edge/probe", prefix, value);
    const client = new NodeClient({ endpoint: appliance.url });
    // Something waits in the list that is not in force.
    await client.insert(SET, { "198.51.100.0/24": 2 });
    const result = await probe({ node: { endpoint: appliance.url }, urls: [SET], world: appliance.world() });
    expect(answersOf(result)).toEqual({ set: undefined, guess: { path: { prefixset: "running" } } });
    await expect(client.listPrefixSet(SET)).rejects.toThrow(
      'Name the right one: answers.path: "running" or answers.path: "candidate".',
    );
    await client.close();
  },
);
