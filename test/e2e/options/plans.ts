import { expect } from "vitest";
import { blockedSet, since, world } from "../support/world";
import { butCommits, held, journey, UP, urn } from "./journey";

const PLANS = [
  ...["--strict", "--save-plan", "--import-file", "--policy-pack"],
  ...["--clear-pending-creates", "--import-pending-creates", "--skip-pending-creates"],
  ...["pulumi cancel", "stack export", "stack import"],
];

journey(
  "plans and states",
  PLANS,
  async () => {
    const [A, B] = ["192.0.2.0/25", "192.0.2.128/25"];
    await using w = await world({ program: blockedSet([A]) });
    const { emulator, stack } = w;
    await stack.must(...UP);
    await stack.must("stack", "export", "--file", `${stack.folder}/before.json`);

    // A plan, an import file and a policy are of the preview.
    let sent = since(emulator);
    await stack.program(blockedSet({ "2.0.0.0/7": 1, [A]: 1 }));
    const pack = "node_modules/pulumi-packetfilter/policies/run";
    const judged = await stack.preview(
      "--policy-pack",
      pack,
      "--save-plan",
      "plan.json",
      "--import-file",
      "import.json",
    );
    expect(judged.code).not.toBe(0);
    expect(judged.text).toMatch(/prefix-length/);
    expect(sent()).toEqual([]);
    await stack.program(blockedSet([A, B]));
    await stack.must("up", "--yes", "--strict");
    expect(sent()).toEqual(["insert 1", "commit"]);

    // An older state knows less than the node holds: the next `up` finds what it wants there, and commits.
    sent = since(emulator);
    const state = JSON.parse(await stack.read("before.json"));
    const { outputs: _, ...set } = state.deployment.resources.at(-1);
    const [type, text] = [set.type.replace("PrefixSet", "PrefixSetEntry"), set.inputs.__provider];
    const pending = (name: string, prefix: string) => ({
      ...set,
      id: undefined,
      urn: urn("PrefixSetEntry", name),
      type,
      inputs: { __provider: text.replace("PrefixSet", "PrefixSetEntry"), arena: "edge", set: "partners", prefix },
    });
    state.deployment.pending_operations = [
      { type: "creating", resource: pending("killed", "203.0.113.1/32") },
      { type: "creating", resource: pending("lost", "203.0.113.2/32") },
    ];
    emulator.change("prefixset://edge/partners", { insert: { "203.0.113.1/32": 1 } });
    await stack.write("before.json", JSON.stringify(state));
    await stack.must("stack", "import", "--file", `${stack.folder}/before.json`);
    await stack.must("cancel", "--yes");
    await stack.must("refresh", "--yes", "--skip-preview", "--skip-pending-creates");
    expect((await stack.state()).blocked?.outputs.entries).toEqual({ [A]: 1, [B]: 1 });
    const id = "prefixset://edge/partners#203.0.113.1/32";
    const both = ["--import-pending-creates", urn("PrefixSetEntry", "killed"), "--import-pending-creates", id];
    await stack.must("refresh", "--yes", "--skip-preview", ...both);
    // The engine takes it for imported, and a dynamic resource cannot be.
    expect(Object.keys(await stack.state())).toEqual(["blocked"]);
    await stack.must("refresh", "--yes", "--skip-preview", "--clear-pending-creates");
    const killed = 'new pf.PrefixSetEntry("killed", { arena: "edge", set: "partners", prefix: "203.0.113.1" });';
    await stack.program(blockedSet([A, B]) + killed);
    const up = await stack.must(...UP);
    expect(up.text).not.toMatch(/pending/);
    expect(up.text).toMatch(/203\.0\.113\.1\/32 was already there with this value/);
    expect(butCommits(sent())).toEqual([]);
    expect(held(emulator)).toEqual({ blocked: { [A]: 1, [B]: 1 }, partners: { "203.0.113.1/32": 1 }, active: [] });
  },
  ["dynamic"],
);
