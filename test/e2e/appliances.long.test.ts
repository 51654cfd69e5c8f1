import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { APPLIANCES } from "../probe/appliances/appliance";
import { checkedWith, startAppliance, writtenBy } from "../probe/appliances/probing";
import { TestStack } from "./support/stack";

const [A, B, C, OWN] = ["192.0.2.0/24", "198.51.100.7/32", "203.0.113.0/24", "198.51.100.128/25"] as const;

test("eight appliances: probed, checked, and by what the probe wrote up, no change, drift, repair, destroy", async () => {
  await using all = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "packetfilter-appliances-"));
  all.defer(() => rm(folder, { recursive: true }));
  const started = await Promise.all(
    APPLIANCES.map(async (name) => ({ name, appliance: all.use(await startAppliance(name)) })),
  );
  const reached = [];
  for (const { name, appliance } of started) {
    const written = await writtenBy(appliance, name, folder);
    expect({ name, unusable: written.result.unusable, left: written.result.left }).toEqual({
      name,
      unusable: [],
      left: [],
    });
    const { rows, left } = await checkedWith(appliance, written);
    expect({ name, failed: rows.filter(({ held }) => !held), left }).toEqual({ name, failed: [], left: [] });
    expect({ name, held: appliance.held("edge/probe"), signaled: appliance.signaled() }).toEqual({
      name,
      held: {},
      signaled: [],
    });
    appliance.live();
    reached.push({ name, ...written });
  }

  const nodes = Object.fromEntries(reached.map(({ name, node }) => [name, node]));
  const receivers = Object.fromEntries(reached.map(({ name, receiver }) => [name, receiver]));
  const program = (value: number) => `
    for (const node of ${JSON.stringify(APPLIANCES)}) {
      new pf.PrefixSet(node, { node, arena: "edge", set: "blocked", entries: { "${A}": ${value}, "${B}": 1 } });
      new pf.CloudSignaling(node, { receiver: node, prefixes: ["${OWN}"] });
    }`;
  const stack = all.use(
    await TestStack.create({
      config: { nodes },
      secrets: { receivers: JSON.stringify(receivers) },
      // Operators allow the one module that reads answers, and no other.
      env: { PACKETFILTER_ALLOW_CODE: join(folder, "padded.cjs") },
      program: program(7),
    }),
  );
  const everywhere = <T>(one: T) => Object.fromEntries(APPLIANCES.map((name) => [name, one]));
  const held = () => Object.fromEntries(started.map(({ name, appliance }) => [name, appliance.held("edge/blocked")]));
  const signaled = () => Object.fromEntries(started.map(({ name, appliance }) => [name, appliance.signaled()]));

  await stack.must("up", "--yes", "--skip-preview");
  expect(held()).toEqual(everywhere({ [A]: 7, [B]: 1 }));
  expect(signaled()).toEqual(everywhere([OWN]));
  await stack.must("preview", "--refresh", "--expect-no-changes");

  for (const { appliance } of started) {
    appliance.put("edge/blocked", C, 3);
    appliance.put("edge/blocked", A, undefined);
    appliance.active.clear();
  }
  const drift = await stack.mustFail("preview", "--refresh", "--expect-no-changes");
  // A line for the set and one for the signaling of each, and none for anything else.
  const changed = [...drift.text.matchAll(/^ [~+-]+ +\S*?(PrefixSet|CloudSignaling) +(\w+) +update/gm)].map(
    ([, type, name]) => `${type} ${name}`,
  );
  expect(changed.toSorted(), drift.text).toEqual(
    APPLIANCES.flatMap((name) => [`CloudSignaling ${name}`, `PrefixSet ${name}`]).toSorted(),
  );
  await stack.program(program(9));
  await stack.must("up", "--yes", "--refresh", "--skip-preview");
  expect(held()).toEqual(everywhere({ [A]: 9, [B]: 1 }));
  expect(signaled()).toEqual(everywhere([OWN]));

  await stack.must("destroy", "--yes", "--skip-preview", "--refresh");
  expect(held()).toEqual(everywhere({}));
  expect(signaled()).toEqual(everywhere([]));
}, 600_000);
