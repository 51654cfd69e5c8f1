import { describe, expect, it } from "vitest";
import { digestOf } from "../../provider/deployment/sent-before";
import { Prefix } from "../../provider/model/prefix";
import { startHealth } from "../support/health";
import { A, B, C, filled, NODES, URL, WAVES, waves } from "./support/group-bench";

const [ONE, TWO, OTHER] = [{ [A]: 1 }, { [A]: 1, [B]: 1 }, { [A]: 1, [C]: 1 }];
const equal = (content: object) => ({ lab1: content, fra1: content, ams1: content });

describe("a rollout", () => {
  it("goes wave by wave, each with its check, and stays red until the check of its wave has passed", async () => {
    await using stack = await waves({ checkTimeoutMs: undefined });
    const { doctor, held, asked, outputs, rollout, up } = stack;
    const { checkTimeoutMs: _, ...kept } = rollout;
    expect((await stack.preview(ONE)).printed).toContain(`${URL}: wave 1 of 3 (lab1) is next`);
    expect((await up(ONE)).error).toBe("");
    expect(doctor.asked()).toEqual(["lab1", "fra1", "ams1"]);
    expect(outputs().rollout).toEqual(kept);

    doctor.ill.set("fra1", 503);
    const reason = `GET ${doctor.of("fra1")}: HTTP 503`;
    expect((await up(TWO)).error).toBe(
      `Set ${URL}: wave 2 of 3 (fra1) did not pass: ${reason}. 1 node of a later wave was not touched. The next "pulumi up" continues with it.`,
    );
    expect(held()).toEqual({ lab1: TWO, fra1: TWO, ams1: ONE });
    const entries = Object.entries(TWO).map(([prefix, value]) => [Prefix.canonical(prefix), value] as const);
    const contents = { fra1: digestOf(new Map(entries)) };
    expect(outputs().rollout).toEqual({ ...kept, wave: 2, of: 3, nodes: ["fra1"], contents, reason });

    // A refresh knows no program, and so no step: it names the wave alone.
    const { printed } = await stack.preview(TWO, {}, { refresh: true });
    expect(printed.filter((line) => line.includes("did not pass"))).toEqual([
      `${URL}: wave 2 of 3 (fra1) did not pass: ${reason}`,
      `${URL}: wave 3 of 3 (ams1) is next; wave 2 (fra1) did not pass: ${reason}`,
    ]);

    // Neither the same program nor others get past it.
    const others: [entries: object, args?: object][] = [
      [TWO],
      [{ ...TWO, [C]: 1 }, { rollout: undefined }],
      [OTHER, { rollout: { waves: WAVES } }],
      [OTHER, { rollout: { waves: [["ams1"]], check: { command: ["true"] } } }],
    ];
    for (const other of others) {
      doctor.asked();
      asked();
      const seen = await stack.preview(...other);
      expect(seen.printed.join("\n")).toMatch(/wave 2 (of 3 )?\(fra1\) did not pass: GET .*: HTTP 503/);
      expect((await up(...other)).error).toContain("wave 2 of 3 (fra1) did not pass: ");
      expect(asked().ams1 ?? []).not.toContain("insert");
      expect(doctor.asked()).toEqual(["fra1"]);
      expect(held().ams1).toEqual(ONE);
    }

    // A new content begins with the first wave of its own, and takes the node where it stands in them.
    const mended = { rollout: { ...kept, waves: [["ams1"], ["lab1"]] } };
    expect((await up(OTHER, mended)).error).toMatch(
      /wave 3 of 3 \(fra1\) did not pass: .*HTTP 503\. The next "pulumi up" continues with it\.$/,
    );
    expect(held()).toEqual(equal(OTHER));
    doctor.ill.clear();
    expect((await up(OTHER, mended)).error).toBe("");
    expect(held()).toEqual(equal(OTHER));
    expect(outputs().rollout).toEqual(mended.rollout);
    expect(await up(OTHER, mended)).toMatchObject({ error: "", steps: [] });
  });

  it("that did not pass a first create says that its other nodes are filled with their waves, and which one is put right", async () => {
    await using stack = await waves();
    stack.doctor.ill.set("fra1", 503);
    await stack.up(ONE);
    stack.node("lab1").change(URL, { delete: [A] });
    const { printed } = await stack.preview(TWO);
    expect(printed.filter((line) => line.includes("lacks"))).toEqual([
      `warning: lab1 ${URL} lacks 1 declared entry (${A}): this up restores it.`,
    ]);
    stack.doctor.ill.clear();
    await stack.up(TWO);
    expect(stack.engine.state[0]?.inputs.restores).toBe(
      `ams1, lab1: 1 missing entry: ${A}; what has not passed goes in with its wave`,
    );
  });

  it("that was killed as it took a red content back does not count that content as passed by the health of the other", async () => {
    await using stack = await filled();
    const { doctor, held, up } = stack;
    doctor.ill.set("lab1", 500);
    expect((await up(TWO)).error).toContain("wave 1 of 3 (lab1) did not pass");
    await stack.killed(({ lab1 }) => lab1?.[B] === undefined, ONE);
    expect(held().lab1).toEqual(ONE);
    doctor.ill.clear();
    const seen: unknown[] = [];
    doctor.onAsked = (node) => {
      if (node === "lab1") seen.push(held().lab1);
    };
    expect((await up(OTHER)).error).toBe("");
    expect(seen).toEqual([OTHER]);
  });

  it("that was killed before its new check was asked passes by that check alone, not by the one of the state", async () => {
    await using stack = await filled();
    await using other = await startHealth();
    const { held, up } = stack;
    const checked = { rollout: { waves: WAVES, check: { url: other.url } } };
    other.ill.set("lab1", 500);
    await stack.killed(({ lab1 }) => lab1?.[B] !== undefined, TWO, checked);
    expect(held()).toEqual({ lab1: TWO, fra1: ONE, ams1: ONE });
    expect(stack.outputs().rollout).not.toHaveProperty("reason");
    for (let run = 0; run < 2; run++) {
      expect((await up(TWO, checked)).error).toMatch(/wave 1 of 3 \(lab1\) did not pass: GET .*: HTTP 500/);
      expect(held()).toMatchObject({ fra1: ONE, ams1: ONE });
    }
    other.ill.clear();
    expect((await up(TWO, checked)).error).toBe("");
    expect(held()).toEqual(equal(TWO));
  });

  it("restores what other nodes lost of what has passed while it is red, and nothing new", async () => {
    await using stack = await filled({}, OTHER);
    const { doctor, held, up } = stack;
    // What the new contents have to hold is no reason to leave out what was there before.
    const required = { requiredPrefixes: [B] };
    stack.config.requiredPrefixes = JSON.stringify([B]);
    doctor.ill.set("fra1", 503);
    expect((await up(TWO, required)).error).toContain("wave 2 of 3 (fra1) did not pass: ");
    stack.node("lab1").change(URL, { delete: [B] });
    stack.node("ams1").change(URL, { delete: [A, C] });
    const restore = (node: string, prefix: string) =>
      `warning: ${node} ${URL} lacks 1 declared entry (${prefix}): this up restores it.`;
    const seen = await stack.preview(TWO, required);
    expect(seen.printed).toEqual(expect.arrayContaining([restore("ams1", A), restore("lab1", B)]));
    expect((await up(TWO, required)).error).toContain("wave 2 of 3 (fra1) did not pass: ");
    expect(held()).toEqual({ lab1: TWO, fra1: TWO, ams1: ONE });
    // Under another check nothing new is written, but what was lost comes back, in the wave itself, too.
    stack.node("lab1").change(URL, { delete: [B] });
    stack.node("fra1").change(URL, { delete: [B] });
    const without = { rollout: { waves: WAVES } };
    const blocked = (await stack.preview(TWO, without)).printed;
    expect(blocked).toContain(restore("fra1, lab1", B));
    expect(blocked.join("\n")).toContain(
      `the program now has another check, or none: up asks the former one first. PACKETFILTER_ALLOW_WAVE=${URL} counts`,
    );
    const other = await up(TWO, without);
    expect(other.error).toContain("The program now has another check, or none: restore the former one.");
    expect(held()).toEqual({ lab1: TWO, fra1: TWO, ams1: ONE });
    expect((await up(TWO, required)).error).toContain("wave 2 of 3 (fra1) did not pass: ");
    doctor.ill.clear();
    expect((await up(TWO, required)).error).toBe("");
    expect(held().ams1).toEqual(TWO);
    expect(await up(TWO, required)).toMatchObject({ error: "", steps: [] });
  });

  it.each([false, true])(
    "restores while it is red what a refresh took over as lost, and forgets it then (a refresh of its own: %s)",
    async (isSeparate) => {
      const [first, whole, last] = [
        { [A]: 1, [C]: 7 },
        { [A]: 1, [B]: 1, [C]: 7 },
        { [B]: 1, [C]: 7 },
      ];
      await using stack = await filled({}, first);
      const { doctor, engine, held, outputs, up } = stack;
      doctor.ill.set("fra1", 503);
      expect((await up(whole)).error).toContain("wave 2 of 3 (fra1) did not");
      stack.node("lab1").change(URL, { delete: [B] });
      stack.node("ams1").change(URL, { insert: { [C]: 5 }, delete: [A] });
      if (isSeparate) expect(await engine.refresh()).toMatchObject({ errors: [] });
      const red = await up(whole, {}, { refresh: !isSeparate });
      expect(red.error).toContain("wave 2 of 3 (fra1) did not pass: ");
      expect(held()).toEqual({ lab1: whole, fra1: whole, ams1: first });
      expect(outputs().differs).toEqual({ ams1: { [B]: null } });
      expect(outputs()).not.toHaveProperty("lost");
      // What the program no longer wants stays away, whatever an earlier run lost.
      stack.node("ams1").change(URL, { delete: [A] });
      await up(last, {}, { refresh: true });
      expect(held().ams1).toEqual({ [C]: 7 });
      doctor.ill.clear();
      expect((await up(last)).error).toBe("");
      expect(held()).toEqual(equal(last));
      expect(outputs()).not.toHaveProperty("lost");
    },
  );

  it("asks the check of a former program for as long as that program said", async () => {
    await using stack = await waves();
    const { doctor, rollout, up } = stack;
    await stack.fill();
    doctor.ill.set("lab1", 503);
    expect((await up(TWO)).error).toContain("wave 1 of 3 (lab1) did not pass");
    doctor.silent.add("lab1");
    const { check: _, ...withoutCheck } = { ...rollout, checkTimeoutMs: 3_000 };
    const { error } = await up(TWO, { rollout: withoutCheck });
    expect(error).toMatch(/GET .*lab1: no answer within (1 s|1000 ms|9\d\d ms)\. .*restore the former one/);
  });

  it("restores a loss that a refresh has noted, and calls nothing undeclared that the program declares", async () => {
    await using stack = await waves({ check: undefined });
    stack.config.detectDrift = "off";
    await stack.fill(TWO);
    stack.node("lab1").change(URL, { delete: [A] });
    await stack.engine.refresh();
    const { error, printed } = await stack.up({ ...TWO, [C]: 1 });
    expect(error).toBe("");
    expect(stack.held().lab1).toEqual({ ...TWO, [C]: 1 });
    expect(printed.filter((line) => line.includes("does not declare"))).toEqual([]);
  });

  it("waits for no busy node before its first wave, and checks in its wave what a killed run wrote to one that was silent", async () => {
    await using stack = await waves();
    const { doctor, held, up } = stack;
    stack.config.detectDrift = "off";
    await stack.fill();
    doctor.ill.set("lab1", 500);
    stack.node("ams1").fail({ cmd: "list", every: 1, status: 503 });
    expect((await up(OTHER)).error).toContain("wave 1 of 3 (lab1) did not pass: ");
    // As often as fits into two seconds, and not into its whole deadline.
    expect(stack.asked().ams1?.length).toBeLessThanOrEqual(5);
    stack.node("ams1").clearFaults();
    doctor.ill.clear();
    expect((await up(ONE)).error).toBe("");

    await stack.killed(({ lab1 }) => lab1?.[B] !== undefined, TWO);
    expect(held()).toEqual({ lab1: TWO, fra1: ONE, ams1: ONE });
    stack.node("lab1").fail({ every: 1, kind: "reset" });
    doctor.ill.set("lab1", 500);
    doctor.onAsked = () => stack.node("lab1").clearFaults();
    const late = await up(TWO, { rollout: { ...stack.rollout, waves: [["ams1"], ["lab1"]] } });
    expect(late.error).toMatch(
      /wave 2 of 3 \(lab1\) did not pass: .* 1 node of a later wave was not touched\. The next/,
    );
    expect(held()).toEqual({ lab1: TWO, fra1: ONE, ams1: TWO });
  });

  it("asks nothing of a node that was emptied by hand before it left the program", async () => {
    await using stack = await waves({ waves: [["fra1"]] });
    for (const refresh of [false, true]) {
      await stack.up(ONE);
      stack.node("lab1").change(URL, { delete: [A] });
      stack.doctor.ill.set("lab1", 404);
      expect((await stack.up(TWO, { nodes: NODES.slice(0, 2) }, { refresh })).error).toBe("");
      expect(stack.held()).toEqual({ lab1: {}, fra1: TWO, ams1: TWO });
      stack.doctor.ill.clear();
    }
  });
});
