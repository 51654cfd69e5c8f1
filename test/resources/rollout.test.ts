import { describe, expect, it } from "vitest";
import { HurriedWorld } from "../failures/support/hurried-world";
import { startHealth } from "../support/health";
import { A, B, bench, C, group, URL } from "./support/group-bench";

const fine = { errors: [] };
const NODES = ["ams1", "fra1", "lab1"];
const WAVES = [["lab1"], ["fra1"], ["ams1"]];

const messages = ({ errors }: { readonly errors: readonly Error[] }) => errors.map(({ message }) => message).join("\n");

describe("a rollout", () => {
  it("goes wave by wave, each with its check, and stays red until the check of its wave has passed", async () => {
    await using stack = await bench(...NODES);
    await using doctor = await startHealth();
    const { engine, held, asked, outputs } = stack;
    const rollout = { waves: WAVES, check: { url: doctor.url } };
    const program = (entries: object, more: object = { rollout }) => [group(entries, NODES, more)];
    expect((await engine.preview(program({ [A]: 1 }))).printed).toContain(`${URL}: wave 1 of 3 (lab1) is next`);
    expect(await engine.up(program({ [A]: 1 }))).toMatchObject(fine);
    expect(doctor.asked()).toEqual(["lab1", "fra1", "ams1"]);
    expect(outputs().rollout).toEqual(rollout);

    doctor.ill.set("fra1", 503);
    const red = await engine.up(program({ [A]: 1, [B]: 1 }));
    const asking = doctor.url.replace("{node}", "fra1");
    expect(messages(red)).toBe(
      `Set prefixset://edge/blocked: wave 2 of 3 (fra1) did not pass: GET ${asking}: HTTP 503. 1 node of a later wave was not touched.`,
    );
    expect(held()).toEqual({ lab1: { [A]: 1, [B]: 1 }, fra1: { [A]: 1, [B]: 1 }, ams1: { [A]: 1 } });
    const pending = { wave: 2, of: 3, nodes: ["fra1"], reason: `GET ${asking}: HTTP 503` };
    expect(outputs().rollout).toEqual({ ...rollout, ...pending });

    // Neither the same program nor others get past it.
    const others = [
      program({ [A]: 1, [B]: 1 }),
      program({ [A]: 1, [B]: 1, [C]: 1 }, {}),
      program({ [A]: 1, [C]: 1 }, { rollout: { waves: WAVES } }),
      program({ [A]: 1, [C]: 1 }, { rollout: { waves: [["ams1"]], check: { command: ["true"] } } }),
    ];
    for (const other of others) {
      doctor.asked();
      asked();
      const seen = await engine.preview(other);
      expect(seen.printed.join("\n")).toMatch(/wave 2 (of 3 )?\(fra1\) did not pass: GET .*: HTTP 503/);
      expect(messages(await engine.up(other))).toContain("wave 2 of 3 (fra1) did not pass: ");
      expect(asked().ams1 ?? []).not.toContain("insert");
      expect(doctor.asked()).toEqual(["fra1"]);
      expect(held().ams1).toEqual({ [A]: 1 });
    }

    // A new content begins with the first wave of its own, and takes the node where it stands in them.
    const mended = program({ [A]: 1, [C]: 1 }, { rollout: { ...rollout, waves: [["ams1"], ["lab1"]] } });
    const last = messages(await engine.up(mended));
    expect(last).toContain("wave 3 of 3 (fra1) did not pass: ");
    expect(last).toMatch(/HTTP 503\.$/);
    expect(held()).toEqual({ lab1: { [A]: 1, [C]: 1 }, fra1: { [A]: 1, [C]: 1 }, ams1: { [A]: 1, [C]: 1 } });
    doctor.ill.clear();
    expect(await engine.up(mended)).toMatchObject(fine);
    expect(held()).toEqual({ lab1: { [A]: 1, [C]: 1 }, fra1: { [A]: 1, [C]: 1 }, ams1: { [A]: 1, [C]: 1 } });
    expect(outputs().rollout).toEqual({ ...rollout, waves: [["ams1"], ["lab1"]] });
    expect(await engine.up(mended)).toMatchObject({ ...fine, steps: [] });
  });

  it("that did not pass a first create says that its other nodes are filled with their waves, and which one is put right", async () => {
    await using stack = await bench(...NODES);
    await using doctor = await startHealth();
    const { engine } = stack;
    const rollout = { waves: WAVES, check: { url: doctor.url }, checkTimeoutMs: 1_000 };
    doctor.ill.set("fra1", 503);
    await engine.up([group({ [A]: 1 }, NODES, { rollout })]);
    stack.node("lab1").change(URL, { delete: [A] });
    const next = [group({ [A]: 1, [B]: 1 }, NODES, { rollout })];
    const { printed } = await engine.preview(next);
    expect(printed.filter((line) => line.includes("lacks"))).toEqual([
      `warning: lab1 ${URL} lacks 1 declared entry (${A}): this up restores it.`,
    ]);
    doctor.ill.clear();
    await engine.up(next);
    expect(engine.state[0]?.inputs.restores).toBe(
      `ams1, lab1: 1 missing entry: ${A}; what has not passed goes in with its wave`,
    );
  });

  it("that was killed between a write and its check begins with the check, whatever the program says then", async () => {
    for (const more of [{ waves: WAVES }, { waves: [["ams1"], ["fra1"]] }]) {
      await using stack = await bench(...NODES);
      await using doctor = await startHealth();
      const { engine, held } = stack;
      const check = { url: doctor.url };
      await engine.up([group({ [A]: 1 }, NODES, { rollout: { waves: WAVES, check } })]);
      doctor.ill.set("lab1", 500);
      doctor.asked();
      let requests = 0;
      while (held().lab1?.[B] === undefined && requests < 20) {
        requests += 1;
        const world = new HurriedWorld({ request: requests, when: "after" });
        await engine.up([group({ [A]: 1, [B]: 1 }, NODES, { rollout: { waves: WAVES, check } })], { world });
      }
      expect(held()).toEqual({ lab1: { [A]: 1, [B]: 1 }, fra1: { [A]: 1 }, ams1: { [A]: 1 } });
      expect(stack.outputs().rollout).not.toHaveProperty("reason");
      for (const refresh of [false, true]) {
        const next = await engine.up([group({ [A]: 1, [C]: 1 }, NODES, { rollout: { ...more, check } })], { refresh });
        expect(messages(next)).toMatch(/wave \d of 3 \(lab1\) did not pass: GET .*: HTTP 500/);
        expect(held()).toMatchObject({ fra1: { [A]: 1 }, ams1: { [A]: 1 } });
      }
      doctor.ill.clear();
      expect(await engine.up([group({ [A]: 1, [C]: 1 }, NODES, { rollout: { ...more, check } })])).toMatchObject(fine);
      expect(held()).toMatchObject({ fra1: { [A]: 1, [C]: 1 }, ams1: { [A]: 1, [C]: 1 }, lab1: { [C]: 1 } });
    }
  });

  it("that was killed as it took a red content back does not count that content as passed by the health of the other", async () => {
    await using stack = await bench(...NODES);
    await using doctor = await startHealth();
    const { engine, held } = stack;
    const program = (...prefixes: readonly string[]) => [
      group(Object.fromEntries(prefixes.map((prefix) => [prefix, 1])), NODES, {
        rollout: { waves: WAVES, check: { url: doctor.url } },
      }),
    ];
    await engine.up(program(A));
    doctor.ill.set("lab1", 500);
    expect(messages(await engine.up(program(A, B)))).toContain("wave 1 of 3 (lab1) did not pass");
    let requests = 0;
    while (held().lab1?.[B] === 1 && requests < 20) {
      requests += 1;
      await engine.up(program(A), { world: new HurriedWorld({ request: requests, when: "after" }) });
    }
    expect(held().lab1).toEqual({ [A]: 1 });
    doctor.ill.clear();
    const seen: unknown[] = [];
    doctor.onAsked = (node) => {
      if (node === "lab1") seen.push(held().lab1);
    };
    expect(await engine.up(program(A, C))).toMatchObject(fine);
    expect(seen).toEqual([{ [A]: 1, [C]: 1 }]);
  });

  it("that was killed before its new check was asked passes by that check alone, not by the one of the state", async () => {
    await using stack = await bench(...NODES);
    await using doctor = await startHealth();
    await using other = await startHealth();
    const { engine, held } = stack;
    const program = (entries: object, { url }: { url: string }) => [
      group(entries, NODES, { rollout: { waves: WAVES, check: { url } } }),
    ];
    await engine.up(program({ [A]: 1 }, doctor));
    other.ill.set("lab1", 500);
    for (let request = 1; held().lab1?.[B] === undefined && request < 20; request++) {
      const world = new HurriedWorld({ request, when: "after" });
      await engine.up(program({ [A]: 1, [B]: 1 }, other), { world });
    }
    expect(held()).toEqual({ lab1: { [A]: 1, [B]: 1 }, fra1: { [A]: 1 }, ams1: { [A]: 1 } });
    expect(stack.outputs().rollout).not.toHaveProperty("reason");
    for (let run = 0; run < 2; run++) {
      const next = await engine.up(program({ [A]: 1, [B]: 1 }, other));
      expect(messages(next)).toMatch(/wave 1 of 3 \(lab1\) did not pass: GET .*: HTTP 500/);
      expect(held()).toMatchObject({ fra1: { [A]: 1 }, ams1: { [A]: 1 } });
    }
    other.ill.clear();
    expect(await engine.up(program({ [A]: 1, [B]: 1 }, other))).toMatchObject(fine);
    expect(held()).toMatchObject({ fra1: { [B]: 1 }, ams1: { [B]: 1 } });
  });

  it("restores what other nodes lost of what has passed while it is red, and nothing new", async () => {
    await using stack = await bench(...NODES);
    await using doctor = await startHealth();
    const { engine, held } = stack;
    const rollout = { waves: WAVES, check: { url: doctor.url }, checkTimeoutMs: 1_000 };
    // What the new contents have to hold is no reason to leave out what was there before.
    const program = (entries: object) => [
      group(entries, NODES, { rollout, ...(B in entries && { requiredPrefixes: [B] }) }),
    ];
    await engine.up(program({ [A]: 1, [C]: 1 }));
    doctor.ill.set("fra1", 503);
    expect(messages(await engine.up(program({ [A]: 1, [B]: 1 })))).toContain("wave 2 of 3 (fra1) did not pass: ");
    stack.node("lab1").change(URL, { delete: [B] });
    stack.node("ams1").change(URL, { delete: [A, C] });
    const seen = await engine.preview(program({ [A]: 1, [B]: 1 }));
    const restore = (node: string, prefix: string) =>
      `warning: ${node} ${URL} lacks 1 declared entry (${prefix}): this up restores it.`;
    expect(seen.printed).toEqual(expect.arrayContaining([restore("ams1", A), restore("lab1", B)]));
    const red = await engine.up(program({ [A]: 1, [B]: 1 }));
    expect(messages(red)).toContain("wave 2 of 3 (fra1) did not pass: ");
    expect(held()).toEqual({ lab1: { [A]: 1, [B]: 1 }, fra1: { [A]: 1, [B]: 1 }, ams1: { [A]: 1 } });
    // Under another check nothing new is written, but what was lost comes back, in the wave itself, too.
    stack.node("lab1").change(URL, { delete: [B] });
    stack.node("fra1").change(URL, { delete: [B] });
    const without = [group({ [A]: 1, [B]: 1 }, NODES, { rollout: { waves: WAVES } })];
    expect((await engine.preview(without)).printed).toContain(restore("fra1, lab1", B));
    const other = await engine.up(without);
    expect(messages(other)).toContain("The program now has another check, or none: restore the former one.");
    expect(held()).toEqual({ lab1: { [A]: 1, [B]: 1 }, fra1: { [A]: 1, [B]: 1 }, ams1: { [A]: 1 } });
    expect(messages(await engine.up(program({ [A]: 1, [B]: 1 })))).toContain("wave 2 of 3 (fra1) did not pass: ");
    doctor.ill.clear();
    expect(await engine.up(program({ [A]: 1, [B]: 1 }))).toMatchObject(fine);
    expect(held().ams1).toEqual({ [A]: 1, [B]: 1 });
    expect(await engine.up(program({ [A]: 1, [B]: 1 }))).toMatchObject({ ...fine, steps: [] });
  });

  it("restores while it is red what a refresh took over as lost, and forgets it then", async () => {
    for (const isSeparate of [false, true]) {
      await using stack = await bench(...NODES);
      await using doctor = await startHealth();
      const { engine, held } = stack;
      const rollout = { waves: WAVES, check: { url: doctor.url }, checkTimeoutMs: 1_000 };
      const program = (entries: object) => [group(entries, NODES, { rollout })];
      await engine.up(program({ [A]: 1, [C]: 7 }));
      doctor.ill.set("fra1", 503);
      expect(messages(await engine.up(program({ [A]: 1, [B]: 1, [C]: 7 })))).toContain("wave 2 of 3 (fra1) did not");
      stack.node("lab1").change(URL, { delete: [B] });
      stack.node("ams1").change(URL, { insert: { [C]: 5 }, delete: [A] });
      if (isSeparate) expect(await engine.refresh()).toMatchObject(fine);
      const red = await engine.up(program({ [A]: 1, [B]: 1, [C]: 7 }), { refresh: !isSeparate });
      expect(messages(red)).toContain("wave 2 of 3 (fra1) did not pass: ");
      const whole = { [A]: 1, [B]: 1, [C]: 7 };
      expect(held()).toEqual({ lab1: whole, fra1: whole, ams1: { [A]: 1, [C]: 7 } });
      expect(stack.outputs().differs).toEqual({ ams1: { [B]: null } });
      expect(stack.outputs()).not.toHaveProperty("lost");
      // What the program no longer wants stays away, whatever an earlier run lost.
      stack.node("ams1").change(URL, { delete: [A] });
      await engine.up(program({ [B]: 1, [C]: 7 }), { refresh: true });
      expect(held().ams1).toEqual({ [C]: 7 });
      doctor.ill.clear();
      expect(await engine.up(program({ [B]: 1, [C]: 7 }))).toMatchObject(fine);
      for (const node of NODES) expect(held()[node]).toEqual({ [B]: 1, [C]: 7 });
      expect(stack.outputs()).not.toHaveProperty("lost");
    }
  });

  it("restores what another writer took at a node of a later wave, and changes it in its own wave", async () => {
    await using stack = await bench(...NODES);
    await using doctor = await startHealth();
    const { engine, held } = stack;
    const rollout = { waves: WAVES, check: { url: doctor.url }, checkTimeoutMs: 1_000 };
    const program = (entries: object) => [group(entries, NODES, { rollout })];
    await engine.up(program({ [A]: 1 }));
    for (const refresh of [false, true]) {
      stack.node("ams1").change(URL, { insert: { [C]: 7 }, delete: [A] });
      doctor.ill.set("lab1", 503);
      const red = await engine.up(program({ [A]: 1, [B]: 1 }), { refresh });
      expect(messages(red)).toMatch(/wave 1 of 3 \(lab1\) did not pass: .* 1 node of a later wave was not touched\.$/);
      expect(held()).toEqual({ lab1: { [A]: 1, [B]: 1 }, fra1: { [A]: 1 }, ams1: { [A]: 1, [C]: 7 } });
    }
    doctor.ill.clear();
    doctor.asked();
    expect(await engine.up(program({ [A]: 1, [B]: 1 }))).toMatchObject(fine);
    expect(doctor.asked()).toEqual(["lab1", "fra1", "ams1"]);
    expect(held().ams1).toMatchObject({ [A]: 1, [B]: 1 });
  });

  it("waits for no busy node before its first wave, and checks in its wave what a killed run wrote to one that was silent", async () => {
    await using stack = await bench(...NODES);
    await using doctor = await startHealth();
    const { engine, held, config, asked } = stack;
    const program = (entries: object, waves: unknown = WAVES) => [
      group(entries, NODES, { rollout: { waves, check: { url: doctor.url }, checkTimeoutMs: 1_000 } }),
    ];
    config.detectDrift = "off";
    await engine.up(program({ [A]: 1 }));
    doctor.ill.set("lab1", 500);
    asked();
    stack.node("ams1").fail({ cmd: "list", every: 1, status: 503 });
    expect(messages(await engine.up(program({ [A]: 1, [C]: 1 })))).toContain("wave 1 of 3 (lab1) did not pass: ");
    // As often as fits into two seconds, and not into its whole deadline.
    expect(asked().ams1?.length).toBeLessThanOrEqual(5);
    stack.node("ams1").clearFaults();
    doctor.ill.clear();
    expect(await engine.up(program({ [A]: 1 }))).toMatchObject(fine);

    for (let request = 1; held().lab1?.[B] === undefined && request < 20; request++) {
      const world = new HurriedWorld({ request, when: "after" });
      await engine.up(program({ [A]: 1, [B]: 1 }), { world });
    }
    expect(held()).toEqual({ lab1: { [A]: 1, [B]: 1 }, fra1: { [A]: 1 }, ams1: { [A]: 1 } });
    stack.node("lab1").fail({ every: 1, kind: "reset" });
    doctor.ill.set("lab1", 500);
    doctor.onAsked = () => stack.node("lab1").clearFaults();
    const late = await engine.up(program({ [A]: 1, [B]: 1 }, [["ams1"], ["lab1"]]));
    expect(messages(late)).toMatch(/wave 2 of 3 \(lab1\) did not pass: .* 1 node of a later wave was not touched\.$/);
    expect(held()).toEqual({ lab1: { [A]: 1, [B]: 1 }, fra1: { [A]: 1 }, ams1: { [A]: 1, [B]: 1 } });
  });

  it("that was killed before its check begins with the check also where the program drops the node", async () => {
    await using stack = await bench(...NODES);
    await using doctor = await startHealth();
    const { engine, held } = stack;
    const program = (entries: object, nodes: string[], waves: unknown = WAVES) => [
      group(entries, nodes, { rollout: { waves, check: { url: doctor.url }, checkTimeoutMs: 1_000 } }),
    ];
    await engine.up(program({ [A]: 1 }, NODES));
    for (let request = 1; held().lab1?.[B] === undefined && request < 20; request++) {
      const world = new HurriedWorld({ request, when: "after" });
      await engine.up(program({ [A]: 1, [B]: 1 }, NODES), { world });
    }
    doctor.ill.set("lab1", 500);
    const left = program({ [A]: 1, [B]: 1 }, ["ams1", "fra1"], [["fra1"]]);
    expect(messages(await engine.up(left))).toContain("(lab1) did not pass: ");
    expect(held()).toMatchObject({ fra1: { [A]: 1 }, ams1: { [A]: 1 } });
    doctor.ill.clear();
    expect(await engine.up(left)).toMatchObject(fine);
    expect(held()).toMatchObject({ fra1: { [A]: 1, [B]: 1 }, ams1: { [A]: 1, [B]: 1 } });
  });

  it("asks nothing of a node that was emptied by hand before it left the program", async () => {
    await using stack = await bench(...NODES);
    await using doctor = await startHealth();
    const { engine, held } = stack;
    const program = (entries: object, nodes: string[]) => [
      group(entries, nodes, { rollout: { waves: [["fra1"]], check: { url: doctor.url }, checkTimeoutMs: 1_000 } }),
    ];
    for (const refresh of [false, true]) {
      await engine.up(program({ [A]: 1 }, NODES));
      stack.node("lab1").change(URL, { delete: [A] });
      doctor.ill.set("lab1", 404);
      expect(await engine.up(program({ [A]: 1, [B]: 1 }, ["ams1", "fra1"]), { refresh })).toMatchObject(fine);
      expect(held()).toEqual({ lab1: {}, fra1: { [A]: 1, [B]: 1 }, ams1: { [A]: 1, [B]: 1 } });
      doctor.ill.clear();
    }
  });
});
