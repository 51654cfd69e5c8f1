import { expect } from "vitest";
import { since } from "../support/world";
import { butCommits, entry, held, journey, set as prefixSet, start, UP } from "./journey";

const PLANS = [
  ...["--strict", "--save-plan", "--import-file", "--policy-pack"],
  ...["--clear-pending-creates", "--import-pending-creates", "--skip-pending-creates"],
  ...["pulumi cancel", "stack export", "stack import"],
];

/** The state, as the backend keeps it: `pulumi stack import` leaves out what a killed run was about to do. */
const STATE = ".backend/.pulumi/stacks/journey/test.json";

journey("plans and states", PLANS, async (frontEnd) => {
  const [A, B] = ["192.0.2.0/25", "192.0.2.128/25"];
  const set = (entries: unknown) => prefixSet("blocked", entries);
  await using w = await start(frontEnd);
  const { emulator, stack, urn } = w;
  await w.declare([set([A])]);
  await stack.must(...UP);
  await stack.must("stack", "export", "--file", `${stack.folder}/before.json`);

  // A plan, an import file and a policy are of the preview.
  let sent = since(emulator);
  await w.declare([set({ "2.0.0.0/7": 1, [A]: 1 })]);
  const pack = "node_modules/pulumi-packetfilter/policies/run";
  const judged = await stack.mustFail(
    "preview",
    "--policy-pack",
    pack,
    "--save-plan",
    "plan.json",
    "--import-file",
    "import.json",
  );
  expect(judged.text).toMatch(/prefix-length/);
  expect(sent()).toEqual([]);
  await w.declare([set([A, B])]);
  await stack.must("up", "--yes", "--strict");
  expect(sent()).toEqual(["insert 1", "commit"]);

  // An older state knows less than the node holds: the next `up` finds what it wants there, and commits.
  sent = since(emulator);
  await stack.must("stack", "import", "--file", `${stack.folder}/before.json`);

  // What a killed run was about to create stays noted until a refresh clears it, and no refresh takes it over.
  const state = JSON.parse(await stack.read(STATE));
  const { outputs: _, ...made } = state.checkpoint.latest.resources.at(-1);
  const ofEntry = (text: string) => text.replace("PrefixSet", "PrefixSetEntry");
  const pending = (name: string, prefix: string) => {
    const text = made.inputs.__provider && { __provider: ofEntry(made.inputs.__provider) };
    const inputs = { ...text, arena: "edge", set: "partners", prefix };
    const resource = { ...made, id: undefined, urn: urn("PrefixSetEntry", name), type: ofEntry(made.type), inputs };
    return { type: "creating", resource };
  };
  state.checkpoint.latest.pending_operations = [pending("killed", "203.0.113.1"), pending("lost", "203.0.113.2")];
  await stack.write(STATE, JSON.stringify(state));
  emulator.change("prefixset://edge/partners", { insert: { "203.0.113.1/32": 1 } });
  await stack.must("cancel", "--yes");
  const refresh = async (...flags: string[]) => {
    await stack.must("refresh", "--yes", "--skip-preview", ...flags);
    const { latest } = JSON.parse(await stack.read(STATE)).checkpoint;
    const noted = latest.pending_operations?.map(({ resource }: { resource: { urn: string } }) => resource.urn) ?? [];
    return [noted, Object.keys(await stack.state())];
  };
  const [killed, lost] = [urn("PrefixSetEntry", "killed"), urn("PrefixSetEntry", "lost")];
  expect(await refresh("--skip-pending-creates")).toEqual([[killed, lost], ["blocked"]]);
  expect((await stack.state()).blocked?.outputs.entries).toEqual({ [A]: 1, [B]: 1 });
  const id = "prefixset://edge/partners#203.0.113.1/32";
  const both = ["--import-pending-creates", killed, "--import-pending-creates", id];
  expect(await refresh(...both)).toEqual([[lost], ["blocked"]]);
  expect(await refresh("--clear-pending-creates")).toEqual([[], ["blocked"]]);

  // The file that a preview writes for an import needs the ids, and resources that can be imported.
  await w.declare([set([A, B]), entry("killed", "203.0.113.1")]);
  await stack.must("preview", "--import-file", "import.json");
  await stack.write("import.json", (await stack.read("import.json")).replace("<PLACEHOLDER>", id));
  const imported = await stack.pulumi(
    ...["import", "--file", `${stack.folder}/import.json`, "--yes", "--skip-preview", "--generate-code=false"],
    "--protect=false",
  );
  expect(imported.code === 0).toBe(frontEnd !== "dynamic");
  const up = await stack.must(...UP);
  expect(up.text).not.toMatch(/pending/);
  expect(/already there as declared, before this resource: 203\.0\.113\.1\/32/.test(up.text)).toBe(
    frontEnd === "dynamic",
  );
  expect(butCommits(sent())).toEqual([]);
  expect(held(emulator)).toEqual({ blocked: { [A]: 1, [B]: 1 }, partners: { "203.0.113.1/32": 1 }, active: [] });
});
