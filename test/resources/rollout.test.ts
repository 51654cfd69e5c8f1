import { describe, expect, it } from "vitest";
import { HurriedWorld } from "../failures/support/hurried-world";
import { startHealth } from "../support/health";
import { A, B, bench, C, group } from "./support/group-bench";

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

    // What mends the node goes to it, and to no other node before it has passed.
    const mended = program({ [A]: 1, [C]: 1 }, { rollout: { ...rollout, waves: [["ams1"], ["lab1"]] } });
    const last = messages(await engine.up(mended));
    expect(last).toContain("wave 3 of 3 (fra1) did not pass: ");
    expect(last).toMatch(/HTTP 503\. 2 other nodes were not touched\.$/);
    expect(held()).toEqual({ lab1: { [A]: 1, [B]: 1 }, fra1: { [A]: 1, [C]: 1 }, ams1: { [A]: 1 } });
    doctor.ill.clear();
    expect(await engine.up(mended)).toMatchObject(fine);
    expect(held()).toEqual({ lab1: { [A]: 1, [C]: 1 }, fra1: { [A]: 1, [C]: 1 }, ams1: { [A]: 1, [C]: 1 } });
    expect(outputs().rollout).toEqual({ ...rollout, waves: [["ams1"], ["lab1"]] });
    expect(await engine.up(mended)).toMatchObject({ ...fine, steps: [] });
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
});
