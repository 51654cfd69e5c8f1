import { describe, expect, it } from "vitest";
import { Runtime } from "../../provider/deployment/runtime";
import { UNKNOWN } from "../../provider/model/json";
import { checkPrefixSetEntry } from "../../provider/resources/prefix-set-entry/check";
import { checkPrefixSetGroup } from "../../provider/resources/prefix-set-group/check";
import { eachNode } from "../../provider/resources/prefix-set-group/each-node";
import { HurriedWorld } from "../failures/support/hurried-world";
import { A, B, bench, C, configured, group, URL } from "./support/group-bench";

const fine = { errors: [] };
const ALL = ["n1", "n2", "n3"];

describe("a group of three nodes", () => {
  it("removes what block --now put there at the nodes at which it did, names these, and leaves another writer's", async () => {
    await using stack = await bench(...ALL);
    const places = ["n1", "n2"].map((name) => stack.node(name).endpoint);
    for (const name of ALL) stack.node(name).change(URL, { insert: { [C]: 4 } });
    const blocked = { value: 4, expires: "2001-01-01T00:00:00Z", sent: ["4", URL, ...places].join(" ") };
    const up = await stack.engine.up([group({ [A]: 1, [C]: blocked }, ALL, { exclusive: false })]);
    expect(up).toMatchObject(fine);
    expect(up.printed.filter((line) => line.includes("--now"))).toEqual([
      `n1, n2 ${URL}: removed if the node still has it with this value, since "block --now" put it there and no program declares it any more: ${C} (4).`,
    ]);
    expect(stack.held()).toEqual({ n1: { [A]: 1 }, n2: { [A]: 1 }, n3: { [A]: 1, [C]: 4 } });
  });

  it("removes each of several values that block --now put at its nodes", async () => {
    await using stack = await bench(...ALL);
    const values = { n1: 4, n2: 5, n3: 6 };
    for (const [name, value] of Object.entries(values)) stack.node(name).change(URL, { insert: { [C]: value } });
    const sent = Object.entries(values).map(([name, value]) => `${value} ${URL} ${stack.node(name).endpoint}`);
    const blocked = { value: 4, expires: "2001-01-01T00:00:00Z", sent: sent.join("; ") };
    const up = await stack.engine.up([group({ [A]: 1, [C]: blocked }, ALL, { exclusive: false })]);
    expect(up).toMatchObject(fine);
    for (const [name, value] of Object.entries(values))
      expect(up.printed.join("\n")).toContain(
        `${name} ${URL}: removed if the node still has it with this value, since "block --now" put it there and no program declares it any more: ${C} (${value}).`,
      );
    expect(stack.held()).toEqual({ n1: { [A]: 1 }, n2: { [A]: 1 }, n3: { [A]: 1 } });
  });

  it("is filled, compared, changed, refreshed, repaired and cleared with the least requests", async () => {
    await using stack = await bench(...ALL);
    const { engine, asked, held } = stack;
    const change = ["list", "insert", "commit", "list"];

    expect(await engine.up([group({ [A]: 1, [B]: 1 }, ALL)])).toMatchObject(fine);
    expect(held()).toEqual({ n1: { [A]: 1, [B]: 1 }, n2: { [A]: 1, [B]: 1 }, n3: { [A]: 1, [B]: 1 } });
    expect(asked()).toEqual({ n1: change, n2: change, n3: change });
    expect(stack.outputs()).toMatchObject({
      entries: { [A]: 1, [B]: 1 },
      nodes: { n1: {}, n2: {}, n3: {} },
      url: URL,
      count: 2,
    });
    expect(Object.keys(stack.outputs().endpoints as object)).toEqual(ALL);
    expect(stack.outputs()).not.toHaveProperty("differs");

    const look = { n1: ["list"], n2: ["list"], n3: ["list"] };
    expect(await engine.up([group({ [A]: 1, [B]: 1 }, ALL)])).toMatchObject({ ...fine, steps: [] });
    expect(asked()).toEqual(look);

    stack.nodes.n2?.change(URL, { insert: { [C]: 7 }, delete: [A] });
    stack.nodes.n3?.change(URL, { insert: { [B]: 9 } });
    asked();
    const lost = await engine.preview([group({ [A]: 1, [B]: 1 }, ALL)]);
    expect(lost).toMatchObject({ ...fine, steps: ["update blocked"] });
    expect([...lost.printed].sort()).toEqual([
      `warning: n2 ${URL} holds 1 undeclared entry (${C}): it stays, of others or possibly of an interrupted run of this stack; "pulumi up --refresh" removes it.`,
      `warning: n2 ${URL} lacks 1 declared entry (${A}): this up restores it.`,
      `warning: n3 ${URL} holds another value of 1 declared entry (${B} has the value 9, not 1): this up restores it.`,
    ]);
    expect(asked()).toEqual(look);
    expect(await engine.up([group({ [A]: 1, [B]: 1 }, ALL)])).toMatchObject({ ...fine, steps: ["update blocked"] });
    expect(engine.state[0]?.inputs.restores).toBe(
      `n2: 1 missing entry: ${A}; n3: 1 other value: ${B} has the value 9, not 1`,
    );
    expect(stack.outputs()).not.toHaveProperty("restores");
    expect(held()).toEqual({ n1: { [A]: 1, [B]: 1 }, n2: { [A]: 1, [B]: 1, [C]: 7 }, n3: { [A]: 1, [B]: 1 } });
    expect(asked()).toMatchObject({ n1: ["list"], n2: change });
    stack.nodes.n2?.change(URL, { delete: [C] });
    expect(await engine.up([group({ [A]: 1, [B]: 1 }, ALL)])).toMatchObject({ ...fine, steps: [] });
    asked();

    expect(await engine.up([group({ [A]: 1, [B]: 2 }, ALL)])).toMatchObject({ ...fine, steps: ["update blocked"] });
    expect(asked()).toEqual({ n1: change, n2: change, n3: change });

    stack.nodes.n2?.change(URL, { insert: { [C]: 7 }, delete: [A] });
    asked();
    const drift = await engine.preview([group({ [A]: 1, [B]: 2 }, ALL)], { refresh: true });
    expect(drift).toMatchObject({ ...fine, steps: ["update blocked"] });
    expect(asked()).toEqual({ n1: ["list"], n2: ["list"], n3: ["list"] });
    expect(await engine.up([group({ [A]: 1, [B]: 2 }, ALL)], { refresh: true })).toMatchObject(fine);
    expect(asked()).toEqual({ n1: ["list"], n2: ["list", "insert", "delete", "commit", "list"], n3: ["list"] });
    expect(held()).toEqual({ n1: { [A]: 1, [B]: 2 }, n2: { [A]: 1, [B]: 2 }, n3: { [A]: 1, [B]: 2 } });

    expect(await engine.destroy()).toMatchObject(fine);
    expect(held()).toEqual({ n1: {}, n2: {}, n3: {} });
  });

  it("has the drift of one node as lines of that node", async () => {
    await using stack = await bench(...ALL);
    const { engine, outputs } = stack;
    await engine.up([group({ [A]: 1, [B]: 1 }, ALL)]);
    stack.nodes.n2?.change(URL, { insert: { [C]: 7, [B]: 3 }, delete: [A] });
    const before = engine.state[0]?.inputs;
    await engine.refresh();
    const differs = { n2: { [A]: null, [B]: 3, [C]: 7 } };
    // A loss is no wish: only what a refresh found beside the program's entries is in the inputs.
    expect(engine.state[0]?.inputs).toEqual({ ...before, differs: { n2: { [C]: 7 } } });
    const lost = { n2: { [A]: 1, [B]: 1 } };
    expect(outputs()).toMatchObject({ entries: { [A]: 1, [B]: 1 }, differs, found: { n2: [C] }, lost });
  });
});

describe("a node that fails", () => {
  it("is named and in differs, the others are done, and the next up goes on with it alone", async () => {
    await using stack = await bench(...ALL);
    const { engine, asked, held, outputs } = stack;
    await engine.up([group({ [A]: 1 }, ALL)]);
    stack.node("n2").fail({ cmd: "commit", every: 1, status: 500 });
    const failed = await engine.up([group({ [A]: 2, [C]: 1 }, ALL)]);
    expect(failed.errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^Set prefixset:\/\/edge\/blocked on n2 \(127\.0\.0\.1:\d+\): commit failed \(HTTP 500, 5 tries/,
      ),
    ]);
    expect(outputs()).toMatchObject({
      entries: { [A]: 2, [C]: 1 },
      differs: { n2: { [A]: 1, [C]: null } },
      unsettled: { n2: [A, C] },
      failed: ["n2"],
    });
    stack.node("n2").clearFaults();
    asked();
    expect(await engine.up([group({ [A]: 2, [C]: 1 }, ALL)])).toMatchObject(fine);
    expect(asked()).toEqual({ n1: ["list"], n2: expect.arrayContaining(["commit"]), n3: ["list"] });
    expect(held().n2).toEqual({ [A]: 2, [C]: 1 });
    expect(outputs()).not.toHaveProperty("differs");
    expect(outputs()).not.toHaveProperty("failed");
    expect(await engine.preview([group({ [A]: 2, [C]: 1 }, ALL)], { refresh: true })).toMatchObject({
      ...fine,
      steps: [],
    });
  });

  it.each([
    ["by an error", { status: 500 }, 0],
    ["by its silence", { kind: "reset" }, 1],
  ] as const)("%s has what is to be withdrawn there done later, a refresh between", async (_, fault, silent) => {
    await using stack = await bench(...ALL);
    const { engine, held } = stack;
    for (const name of ALL) stack.node(name).change(URL, { insert: { [C]: 1 } });
    const maxUnreachable = silent === 0 ? 0 : "34%";
    const program = (entries: object) => [group(entries, ALL, { exclusive: false, maxUnreachable })];
    await engine.up(program({ [A]: 1 }));
    const sent = ["1", URL, ...ALL.map((name) => stack.node(name).endpoint)].join(" ");
    const withdrawn = { [A]: 1, [C]: { value: 1, expires: "2020-01-01T00:00:00Z", sent } };
    stack.node("n2").fail({ cmd: "list", every: 1, ...fault });
    expect((await engine.up(program(withdrawn))).errors).toHaveLength(1 - silent);
    if (silent === 0) stack.node("n2").clearFaults();
    expect(await engine.refresh()).toMatchObject(fine);
    stack.node("n2").clearFaults();
    expect(await engine.up(program(withdrawn))).toMatchObject({ ...fine, steps: ["update blocked"] });
    expect(held()).toEqual({ n1: { [A]: 1 }, n2: { [A]: 1 }, n3: { [A]: 1 } });
    expect(await engine.up(program(withdrawn))).toMatchObject({ ...fine, steps: [] });
  });

  it("loses expired entries later without their being counted as removals", async () => {
    await using stack = await bench("n1", "n2");
    const { engine, held } = stack;
    const expires = "2099-01-01T00:00:00Z";
    const timed = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`10.0.${i}.0/24`, { value: 1, expires }]));
    await engine.up([group({ [A]: 1, ...timed }, ["n1", "n2"])]);
    stack.node("n2").fail({ cmd: "list", every: 1, status: 500 });
    expect((await engine.up([group({ [A]: 2, ...timed }, ["n1", "n2"])])).errors).toHaveLength(1);
    stack.node("n2").clearFaults();
    const world = new HurriedWorld();
    world.wall = () => Date.parse("2099-01-02T00:00:00Z");
    expect(await engine.up([group({ [A]: 2, ...timed }, ["n1", "n2"])], { world })).toMatchObject(fine);
    expect(held()).toEqual({ n1: { [A]: 2 }, n2: { [A]: 2 } });
  });

  it("at a destroy is told with the nodes that are cleared already, which the state still has", async () => {
    await using stack = await bench(...ALL);
    const { engine, held } = stack;
    await engine.up([group({ [A]: 1 }, ALL)]);
    stack.node("n3").fail({ cmd: "list", every: 1, status: 500 });
    const { errors } = await engine.destroy();
    expect(errors[0]?.message).toContain(
      `Set ${URL} is cleared on n1, n2, although the state still has it there: "pulumi up --refresh" fills it again.`,
    );
    stack.node("n3").clearFaults();
    expect(await engine.up([group({ [A]: 1 }, ALL)], { refresh: true })).toMatchObject(fine);
    expect(held()).toEqual({ n1: { [A]: 1 }, n2: { [A]: 1 }, n3: { [A]: 1 } });
  });
});

describe("nodes", () => {
  it("join and leave: one is filled, the other cleared or kept", async () => {
    await using stack = await bench(...ALL);
    const { engine, asked, held, config } = stack;
    config.distinctNodes = true;
    await engine.up([group({ [A]: 1 }, ["n1", "n2"])]);
    asked();
    expect(await engine.up([group({ [A]: 1 }, ["n2", "n3"])])).toMatchObject(fine);
    expect(asked()).toMatchObject({
      n1: expect.arrayContaining(["delete"]),
      // The look, and once more after the removal at n1, which may be the same machine.
      n2: ["list", "list"],
      n3: expect.arrayContaining(["insert"]),
    });
    expect(held()).toEqual({ n1: {}, n2: { [A]: 1 }, n3: { [A]: 1 } });
    await engine.up([group({ [A]: 1 }, ["n2", "n3"], { onDestroy: "keep" })]);
    const kept = await engine.up([group({ [A]: 1 }, ["n2"], { onDestroy: "keep" })]);
    expect(kept.printed.join("\n")).toContain('left 1 entry (onDestroy: "keep")');
    expect(held().n3).toEqual({ [A]: 1 });
  });

  it("leave once those that join are filled: the old machine is not cleared before the new one holds what is wanted", async () => {
    await using stack = await bench(...ALL);
    const { engine, held, config } = stack;
    config.distinctNodes = true;
    await engine.up([group({ [A]: 1 }, ["n1", "n2"])]);
    stack.node("n3").fail({ cmd: "insert", every: 1, status: 500 });
    const failed = await engine.up([group({ [A]: 1 }, ["n2", "n3"])]);
    expect(failed.errors).toHaveLength(1);
    expect(failed.printed).toContain(
      `warning: Set ${URL} on n1: not cleared yet, since n3 could not be filled. The next "pulumi up" goes on.`,
    );
    expect(held()).toEqual({ n1: { [A]: 1 }, n2: { [A]: 1 }, n3: {} });
    stack.node("n3").clearFaults();
    expect(await engine.up([group({ [A]: 1 }, ["n2", "n3"])])).toMatchObject(fine);
    expect(held()).toEqual({ n1: {}, n2: { [A]: 1 }, n3: { [A]: 1 } });
  });

  it("that leave keep what others of the group want, unless the user says that each is a machine of its own", async () => {
    await using stack = await bench(...ALL);
    const { engine, held } = stack;
    const distinct = "say so: pulumi config set packetfilter:distinctNodes true";
    expect((await engine.up([group({ [A]: 1 }, ALL)])).printed).toContain(
      `warning: ${URL}: its nodes have 3 addresses, and two of them may be one machine: a node that leaves keeps what the others want. If each is a machine of its own, ${distinct}`,
    );
    const retired = [group({ [A]: 1 }, ["n1", "n2"])];
    const stays = `Set ${URL} on n3: it leaves the group, and 1 entry stays there, since n1, n2 have the same and may be the same machine. If each address is a machine of its own, ${distinct}; if not, onDestroy: "keep" in one run forgets it`;
    expect((await engine.preview(retired)).printed.join("\n")).toContain(stays);
    const left = await engine.up(retired);
    expect(left).toMatchObject(fine);
    expect(left.printed.filter((line) => line.includes("the two addresses may be one machine"))).toEqual([
      expect.stringContaining(`Set ${URL} on n3: 1 entry stays`),
    ]);
    expect(held().n3).toEqual({ [A]: 1 });

    // It is not forgotten: every run says so, until the user says that it is a machine of its own.
    for (const refresh of [false, true]) {
      expect(stack.outputs()).toMatchObject({ differs: { n3: { [A]: 1 } } });
      expect(await engine.preview(retired, { refresh })).toMatchObject({ ...fine, steps: ["update blocked"] });
      expect((await engine.up(retired, { refresh })).printed.join("\n")).toContain(stays);
    }
    stack.config.distinctNodes = true;
    expect((await engine.preview(retired)).printed).toContain(
      `Set ${URL} on n3: it leaves the group, and up clears 1 entry there.`,
    );
    expect(await engine.up(retired)).toMatchObject(fine);
    expect(held()).toEqual({ n1: { [A]: 1 }, n2: { [A]: 1 }, n3: {} });
    expect(stack.outputs()).not.toHaveProperty("differs");
    expect(await engine.up(retired)).toMatchObject({ ...fine, steps: [] });
  });

  it("that leave are previewed as the up does it, where the others change with it", async () => {
    const cases = [
      { before: group({ [A]: 1 }, ALL), fate: "1 entry stays there", held: { [A]: 1 } },
      {
        before: group({ [A]: 1 }, { n1: {}, n2: {}, n3: { entries: { [B]: 1, [C]: 1 } } }),
        fate: /2 entries stay there, .*; up clears 1 entry there\./,
        held: { [A]: 1, [B]: 1 },
      },
      {
        before: group({ [A]: 1 }, { n1: {}, n2: {}, n3: { exclusive: false, entries: { [C]: 1 } } }),
        settings: { distinctNodes: true },
        fate: "up clears 2 entries there.",
        held: {},
      },
    ];
    for (const { before, settings, fate, held } of cases) {
      await using stack = await bench(...ALL);
      Object.assign(stack.config, settings);
      await stack.engine.up([before]);
      const after = [group({ [A]: 1, [B]: 1 }, ["n1", "n2"])];
      const preview = await stack.engine.preview(after);
      const [said] = preview.printed.filter((line) => line.includes(`Set ${URL} on n3: it leaves the group, and `));
      expect(said).toMatch(fate);
      expect(await stack.engine.up(after)).toMatchObject(fine);
      expect(stack.held().n3).toEqual(held);
    }
  });

  it("that leave and are dead fail a run that names the way to forget them", async () => {
    await using stack = await bench(...ALL);
    await stack.engine.up([group({ [A]: 1 }, ALL)]);
    stack.node("n3").fail({ every: 1, kind: "reset" });
    const { errors } = await stack.engine.up([group({ [B]: 1 }, ["n1", "n2"])]);
    expect(errors.map(({ message }) => message).join()).toContain(
      'run "pulumi up" once without it in "nodes" and with onDestroy: "keep"',
    );
    expect(stack.held()).toMatchObject({ n1: { [B]: 1 }, n2: { [B]: 1 } });
    const forgotten = await stack.engine.up([group({ [B]: 1 }, ["n1", "n2"], { onDestroy: "keep" })]);
    expect(forgotten).toMatchObject(fine);
    expect(Object.keys(stack.outputs().endpoints as object)).toEqual(["n1", "n2"]);
  });

  it("that leave are forgotten with onDestroy: keep, and once they were cleared by hand", async () => {
    for (const how of ["keep", "by hand"]) {
      await using stack = await bench(...ALL);
      const { engine } = stack;
      const retired = (more = {}) => [group({ [A]: 1 }, ["n1", "n2"], more)];
      await engine.up([group({ [A]: 1 }, ALL)]);
      await engine.up(retired());
      if (how === "keep") {
        expect((await engine.preview(retired({ onDestroy: "keep" }))).printed).toContain(
          `Set ${URL} on n3: it leaves the group, and up leaves 1 entry there (onDestroy: "keep"); with onDestroy: "remove", "pulumi up" clears it.`,
        );
        await engine.up(retired({ onDestroy: "keep" }));
      } else {
        stack.node("n3").change(URL, { insert: { [C]: 1 }, delete: [A] });
        await engine.refresh();
      }
      expect(Object.keys(stack.outputs().endpoints as object)).toEqual(["n1", "n2"]);
      expect(stack.outputs()).not.toHaveProperty("differs");
      expect(stack.node("n3").prefixSet(URL).applied).toEqual(how === "keep" ? { [A]: 1 } : { [C]: 1 });
    }
  });

  it("are left by a destroy with onDestroy: keep with what each of them has", async () => {
    await using stack = await bench("n1", "n2");
    const nodes = { n1: { entries: { [B]: 1, [C]: 1 } }, n2: {} };
    await stack.engine.up([group({ [A]: 1 }, nodes, { onDestroy: "keep" })]);
    const { printed } = await stack.engine.destroy();
    const left = (what: string) => `Set ${URL}: left ${what} (onDestroy: "keep").`;
    expect(printed.toSorted()).toEqual([left("1 entry on n2"), left("3 entries on n1")]);
  });

  it("get other names: a place is an address, and nothing is changed", async () => {
    await using stack = await bench("n1", "n2");
    const { engine, asked, held, config } = stack;
    await engine.up([group({ [A]: 1 }, ["n1", "n2"])]);
    const { n1, n2 } = configured(stack.nodes);
    config.nodes = { n1: n2, par1: n1 };
    asked();
    expect(await engine.up([group({ [A]: 1 }, ["n1", "par1"])])).toMatchObject({ ...fine, steps: ["update blocked"] });
    expect(asked()).toEqual({ n1: ["list"], n2: ["list"] });
    expect(stack.outputs().endpoints).toEqual({ n1: n2?.endpoint, par1: n1?.endpoint });
    const { n1: _, ...renamed } = config.nodes as object & { n1: unknown };
    config.nodes = { ...renamed, ber1: n2 };
    const next = await engine.preview([group({ [A]: 1, [B]: 1 }, ["ber1", "par1"])]);
    expect(next.printed).toContain(`2 nodes ${URL}: +1 -0 ~0, 2 after on each`);
    config.nodes = { ...renamed, n1: n2 };
    expect(await engine.up([group({ [A]: 1, [B]: 1 }, ["n1", "par1"])])).toMatchObject(fine);
    expect(held()).toEqual({ n1: { [A]: 1, [B]: 1 }, n2: { [A]: 1, [B]: 1 } });
  });

  it("get other names and have lost an entry: the preview names what the up restores", async () => {
    await using stack = await bench("n1");
    const { engine, config } = stack;
    await engine.up([group({ [A]: 1, [B]: 1 }, ["n1"])]);
    config.nodes = { ber1: configured(stack.nodes).n1 };
    stack.node("n1").change(URL, { delete: [B] });
    const program = [group({ [A]: 1, [B]: 1 }, ["ber1"])];
    const named = expect.stringMatching(/ber1.*198\.51\.100\.0\/24.*this up restores/);
    expect((await engine.preview(program)).printed).toContainEqual(named);
    expect((await engine.up(program)).printed).toContainEqual(named);
    expect(stack.held()).toEqual({ n1: { [A]: 1, [B]: 1 } });
  });

  it.each([
    ["leaves program and configuration", { n2: "n2" }],
    ["gets another name", { n2: "n2", ber1: "n1" }],
  ])("go on after a refresh has noted a loss, where the node %s", async (_, names: Record<string, string>) => {
    await using stack = await bench("n1", "n2");
    const { engine, config, held } = stack;
    const nodes = configured(stack.nodes);
    config.distinctNodes = true;
    await engine.up([group({ [A]: 1, [B]: 1 }, ["n1", "n2"])]);
    stack.node("n1").change(URL, { delete: [A] });
    await engine.refresh();
    config.nodes = Object.fromEntries(Object.entries(names).map(([now, before]) => [now, nodes[before]]));
    const program = [group({ [A]: 1, [B]: 1 }, Object.keys(names))];
    expect(await engine.preview(program)).toMatchObject(fine);
    expect(await engine.up(program)).toMatchObject(fine);
    const stays = Object.values(names).includes("n1") ? { [A]: 1, [B]: 1 } : {};
    expect(held()).toEqual({ n1: stays, n2: { [A]: 1, [B]: 1 } });
  });

  it("hand on to another resource what was there before", async () => {
    await using stack = await bench("n1");
    const { engine } = stack;
    const last = { onDestroy: "created" };
    stack.node("n1").change(URL, { insert: { [A]: 1 } });
    await engine.up([group({ [A]: 1, [B]: 1 }, ["n1"], { ...last, exclusive: false })]);
    const entry = { arena: "edge", set: "blocked", node: "n1", prefix: A, ...last };
    const program = [
      group({ [B]: 1 }, ["n1"], { ...last, exclusive: false }),
      { type: "PrefixSetEntry", name: "mine", args: entry } as const,
    ];
    expect(await engine.up(program)).toMatchObject(fine);
    expect(await engine.destroy()).toMatchObject(fine);
    expect(stack.held()).toEqual({ n1: { [A]: 1 } });
  });
});

describe("what is said of a group", () => {
  const many = Array.from({ length: 8 }, (_, index) => `n${index + 1}`);
  const lines = (printed: readonly string[], what: string) => printed.filter((line) => line.includes(what));

  it("is said once for nodes of which it is the same: what was there already, adopted, found and left", async () => {
    await using stack = await bench(...many);
    const { engine } = stack;
    for (const name of many) stack.node(name).change(URL, { insert: { [A]: 1 } });
    stack.node("n8").change(URL, { insert: { [B]: 1 } });
    const created = await engine.up([group({ [A]: 1, [B]: 1 }, many)]);
    const theirs =
      'They belong to this resource now, and a destroy removes them with the rest; onDestroy: "created" leaves them.';
    expect(lines(created.printed, "already there")).toEqual([
      `Set ${URL} on n1, n2, n3, n4, n5 and 2 more: 1 entry was already there as declared, before this resource: ${A}. It belongs to this resource now, and a destroy removes it with the rest; onDestroy: "created" leaves it.`,
      `Set ${URL} on n8: 2 entries were already there as declared, before this resource: ${A}, ${B}. ${theirs}`,
    ]);

    for (const name of ["n2", "n3"]) stack.node(name).change(URL, { insert: { [C]: 9 } });
    const seen = await engine.preview([group({ [A]: 1, [B]: 1 }, many)], { refresh: true });
    expect(lines(seen.printed, "1 entry")).toEqual([
      `Set ${URL} on n2, n3: found 1 entry that the last up did not write: ${C}.`,
      `Set ${URL} on n2, n3: up removes 1 entry that the program does not declare: ${C}.`,
    ]);
  });

  it("as plan is one line: what most nodes have, and what is different at others", async () => {
    await using stack = await bench(...many);
    const { engine } = stack;
    const entries = { [A]: 1, [B]: 1 };
    const created = await engine.up([group(entries, many)]);
    const [asking] = lines(created.printed, "distinctNodes");
    expect(created.printed).toEqual([`8 nodes ${URL}: 2 entries declared on each`, asking]);
    expect((await engine.preview([group({ ...entries, [C]: 1 }, many)])).printed).toEqual([
      `8 nodes ${URL}: +1 -0 ~0, 3 after on each`,
    ]);

    stack.node("n7").change(URL, { delete: [A] });
    for (const name of ["n2", "n3"]) stack.node(name).change(URL, { insert: { [B]: 5, "10.0.0.0/8": 1 } });
    const drift = await engine.preview([group({ ...entries, [C]: 1 }, many)], { refresh: true });
    expect(lines(drift.printed, "after")).toEqual([
      `6 nodes ${URL}: +1 -0 ~0, 3 after on each; n2, n3: has undeclared 1, +1 -1 ~0, 3 after on each`,
    ]);
    await engine.refresh();
    expect(lines((await engine.preview([group(entries, many)])).printed, "after")).toEqual([
      `n2, n3 ${URL}: has undeclared 1, +0 -1 ~0, 2 after on each`,
    ]);
  });
});

describe("what is different at one node", () => {
  const own = {
    n1: {},
    n2: { entries: { [B]: { value: 5, reason: "lab" }, "10.0.0.0/8": 1 } },
    n3: { exclusive: false },
  };

  it("is merged there, and the state has what is different alone", async () => {
    await using stack = await bench(...ALL);
    const { engine, held, outputs } = stack;
    stack.node("n3").change(URL, { insert: { [C]: 9 } });
    expect(await engine.up([group([A, B], own)])).toMatchObject(fine);
    expect(held()).toEqual({
      n1: { [A]: 1, [B]: 1 },
      n2: { [A]: 1, [B]: 5, "10.0.0.0/8": 1 },
      n3: { [A]: 1, [B]: 1, [C]: 9 },
    });
    expect(outputs()).toMatchObject({
      entries: { [A]: 1, [B]: 1 },
      nodes: {
        n1: {},
        n2: { entries: { [B]: 5, "10.0.0.0/8": 1 }, notes: { [B]: '{"reason":"lab"}' } },
        n3: { exclusive: false },
      },
      count: 2,
    });
    expect(await engine.preview([group([A, B], own)], { refresh: true })).toMatchObject({ ...fine, steps: [] });
    stack.node("n2").change(URL, { insert: { [B]: 1 } });
    await engine.refresh();
    expect(outputs().differs).toEqual({ n2: { [B]: 1 } });
    await engine.up([group([A, B], { n1: {}, n2: {}, n3: { exclusive: false } })]);
    expect(held().n2).toEqual({ [A]: 1, [B]: 1 });
  });

  it.each([true, false])("may be owned or shared there alone: exclusive %s", (exclusive) => {
    const runtime = new Runtime({ env: {}, print: () => {} });
    const nodes = { n1: { endpoint: "http://192.0.2.1/fapi" }, n2: { endpoint: "http://192.0.2.2/fapi" } };
    runtime.configure((key) => (key === "nodes" ? nodes : undefined));
    const urn = (type: string) => ({ urn: `urn:pulumi:dev::edge::packetfilter:index:${type}::mine` });
    const { args } = group({ [A]: 1 }, { n1: { exclusive }, n2: {} }, { exclusive: !exclusive });
    const entry = { arena: "edge", set: "blocked", node: "n1", prefix: B };
    expect(checkPrefixSetGroup(runtime, {}, args, urn("PrefixSetGroup")).problems).toEqual([]);
    const { problems } = checkPrefixSetEntry(runtime, {}, entry, urn("PrefixSetEntry"));
    expect(problems.join()).toMatch(exclusive ? /adds 198\.51\.100\.0\/24 to a set that PrefixSetGroup "mine"/ : /^$/);
  });

  it("has its own limit of removals and its own way with what is there", async () => {
    await using stack = await bench("n1", "n2");
    const { engine, held } = stack;
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`10.0.${i}.0/24`, 1]));
    stack.node("n2").change(URL, { insert: { [C]: 9 } });
    const nodes = { n1: { maxRemovals: "100%" }, n2: { onExisting: "adopt" } };
    expect(await engine.up([group({ [A]: 1, ...many }, nodes)])).toMatchObject(fine);
    expect(held().n2).toMatchObject({ [A]: 1, [C]: 9 });
    expect(stack.outputs()).toMatchObject({ adopted: { n2: [C] }, differs: { n2: { [C]: 9 } } });
    const refused = await engine.up([group({ [A]: 1 }, nodes)]);
    expect(refused.errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^prefixset:\/\/edge\/blocked: on n2: 60 of 61 entries would be removed, more than maxRemovals \(50%, here 30\)/,
      ),
    ]);
  });
});

it("nodes with other names keep their limit on removals in the preview, by the address", async () => {
  await using stack = await bench("n1");
  const { engine, config } = stack;
  const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`10.0.${i}.0/24`, 1]));
  expect(await engine.up([group(many, ["n1"])])).toMatchObject(fine);
  config.nodes = { m1: configured(stack.nodes).n1 };
  const { errors } = await engine.preview([group({ [A]: 1 }, ["m1"])]);
  expect(errors.map(({ message }) => message)).toEqual([
    expect.stringContaining("on m1: 60 of 60 entries would be removed, more than maxRemovals (50%, here 30)"),
  ]);
});

describe("a preview of what is not known yet", () => {
  const check = (args: object) => {
    const runtime = new Runtime({ env: {}, print: () => {} });
    runtime.configure((key: string) => ({ nodes: { n1: { endpoint: "http://192.0.2.10" } } })[key]);
    return checkPrefixSetGroup(runtime, {}, { arena: "edge", set: "blocked", ...args });
  };

  it("shows nothing else as changed: entries beside unknown nodes, nodes beside unknown entries", () => {
    const whole = { arena: "edge", set: "blocked", entries: { [A]: 1 }, nodes: { n1: {} } };
    expect(check({ entries: [A], nodes: UNKNOWN })).toEqual({ inputs: { ...whole, nodes: UNKNOWN }, problems: [] });
    const { inputs, problems } = check({ entries: UNKNOWN, nodes: ["n1"] });
    expect([inputs, problems]).toEqual([{ ...whole, entries: UNKNOWN }, []]);
  });

  it("refuses what is wrong with the rest of it", () => {
    expect(check({ entries: ["192.0.2.1/24"], nodes: [UNKNOWN] }).problems).toEqual([
      expect.stringContaining('"192.0.2.1/24" has host bits set'),
    ]);
    expect(check({ entries: [A], nodes: ["n1", "n1"] }).problems).toEqual([
      'prefixset://edge/blocked: nodes[1]: the node "n1" appears twice.',
    ]);
    expect(check({ entries: ["192.0.2.0/24"], nodes: { n1: { maxRemoval: 1 } } }).problems).toEqual([
      'prefixset://edge/blocked: nodes["n1"]: has no member `maxRemoval`: `maxRemovals` is likely meant.',
    ]);
  });
});

describe("work on many nodes", () => {
  const names = Array.from({ length: 10 }, (_, index) => `n${index + 1}`);

  it("goes on past failures, and says twice a minute how far it is", async () => {
    let now = 0;
    const said: string[] = [];
    const runtime = new Runtime({ env: {}, print: (line) => said.push(line), world: { monotonic: () => now } });
    const failures = await eachNode(
      { runtime, url: "prefixset://edge/blocked", work: "write", atOnce: 1 },
      names,
      async (node) => {
        now += 8_000;
        if (node === "n3") throw new Error("no answer");
      },
    );
    expect(failures).toEqual([{ node: "n3", error: new Error("no answer") }]);
    expect(said).toEqual(
      [3, 7].map((done) => `Set prefixset://edge/blocked, write: ${done} of 10 nodes done, 1 failed`),
    );
  });

  it("is done on so many at a time, and says nothing where it is quick", async () => {
    const said: string[] = [];
    const runtime = new Runtime({ env: {}, print: (line) => said.push(line) });
    let [running, most] = [0, 0];
    await eachNode({ runtime, url: "prefixset://edge/blocked", work: "write", atOnce: 4 }, names, async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    });
    expect([most, said]).toEqual([4, []]);
  });
});
