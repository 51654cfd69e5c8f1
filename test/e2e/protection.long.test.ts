import { describe, expect, it } from "vitest";
import { BLOCKED, since, world } from "./support/world";

const PARTNERS = "prefixset://edge/partners";
const SCANNERS = ["203.0.113.1/32", "203.0.113.2/32", "203.0.113.3/32"];

/** A set, entries made by a loop, and a signaling made by a loop; the names are arguments. */
function program(
  names: { set: string; entry: string; signaling: string },
  entries = SCANNERS,
  active = ["198.51.100.7", "198.51.100.8"],
) {
  return `
    new pf.PrefixSet("${names.set}", { arena: "edge", set: "blocked", entries: ["192.0.2.0/24"] });
    ${JSON.stringify(entries)}.forEach((prefix, i) =>
      new pf.PrefixSetEntry("${names.entry}-" + i, { arena: "edge", set: "partners", prefix, value: 7 }));
    ${JSON.stringify(active)}.forEach((prefix, i) =>
      new pf.CloudSignaling("${names.signaling}-" + i, { prefixes: [prefix], reason: "UDP flood" }));
  `;
}

describe("protection that stays wanted", () => {
  it("survives rename, --replace and an index shift of every resource, and ends with destroy", async () => {
    const names = { set: "blocked", entry: "scanner", signaling: "attack" };
    await using w = await world({ program: program(names) });
    const { emulator, stack } = w;
    const held = () => ({
      blocked: emulator.prefixSet(BLOCKED).applied,
      partners: emulator.prefixSet(PARTNERS).applied,
      active: emulator.signalings["client-a"],
    });
    await stack.must("up", "--yes", "--skip-preview");
    const full = {
      blocked: { "192.0.2.0/24": 1 },
      partners: { "203.0.113.1/32": 7, "203.0.113.2/32": 7, "203.0.113.3/32": 7 },
      active: ["198.51.100.7/32", "198.51.100.8/32"],
    };
    expect(held()).toEqual(full);

    const sent = since(emulator);
    const renamed = { set: "renamed", entry: "renamed-scanner", signaling: "renamed-attack" };
    await stack.program(program(renamed));
    const rename = await stack.up("--skip-preview");
    expect(rename.code, rename.text).toBe(0);
    expect(rename.text).toMatch(/1 entry stays, since another resource/);
    expect(rename.text).toContain(`${BLOCKED}: 1 entry declared`);
    expect(rename.text).not.toMatch(/\+1 -0/);
    expect(rename.text).toMatch(/198\.51\.100\.7\/32 stays active, since another resource.*alias/);
    expect(held()).toEqual(full);
    // What a create finds as declared may be staged only, by a run that was killed: a commit of each group makes sure.
    expect([...new Set(sent())]).toEqual(["commit"]);

    const replace = await stack.up("--skip-preview", "--replace", "**renamed*");
    expect(replace.code, replace.text).toBe(0);
    expect(replace.stdout).toMatch(/replaced/);
    expect(replace.text).not.toMatch(/\+1 -0/);
    expect(held()).toEqual(full);
    expect([...new Set(sent())]).toEqual(["commit"]);

    await stack.program(program(renamed, SCANNERS.slice(1), ["198.51.100.8"]));
    const shift = await stack.up("--skip-preview");
    expect(shift.code, shift.text).toBe(0);
    expect(held().partners).toEqual({ "203.0.113.2/32": 7, "203.0.113.3/32": 7 });
    expect(held().active).toContain("198.51.100.8/32");
    expect(sent().filter((request) => !/^(delete 1|commit|stop 1)$/.test(request))).toEqual([]);

    const destroyed = await stack.destroy();
    expect(destroyed.code, destroyed.text).toBe(0);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual({});
    expect(emulator.prefixSet(PARTNERS).applied).toEqual({});
  });

  it("is kept by a signaling that is changed, stopped by hand, repaired and destroyed", async () => {
    const signaling = (prefixes: string[]) =>
      `new pf.CloudSignaling("attack", { prefixes: ${JSON.stringify(prefixes)}, reason: "UDP flood" });`;
    await using w = await world({ program: signaling(["198.51.100.7", "198.51.100.8/32"]) });
    const { emulator, stack } = w;
    emulator.signal("client-a", { start: ["198.51.100.8"] });
    const sent = since(emulator);
    await stack.must("up", "--yes", "--skip-preview");
    expect(sent()).toEqual(["start 1"]);
    expect(emulator.boundProfile("198.51.100.7")).toBe("profile://edge/protected");
    const { attack } = await stack.state();
    expect(attack?.outputs).toMatchObject({
      prefixes: ["198.51.100.7/32", "198.51.100.8/32"],
      started: ["198.51.100.7/32"],
      endpoint: emulator.signalingUrl,
    });
    expect((await stack.preview("--refresh", "--expect-no-changes")).code).toBe(0);

    emulator.signal("client-a", { stop: ["198.51.100.7"] });
    expect((await stack.preview("--refresh", "--expect-no-changes")).code).not.toBe(0);
    await stack.must("up", "--refresh", "--yes", "--skip-preview");
    expect(emulator.signalings["client-a"]).toEqual(["198.51.100.7/32", "198.51.100.8/32"]);

    await stack.program(signaling(["198.51.100.9", "198.51.100.8"]));
    await stack.must("up", "--yes", "--skip-preview");
    expect(sent()).toEqual(["start 1", "start 1", "start 1", "stop 1"]);
    expect(emulator.signalings["client-a"]).toEqual(["198.51.100.8/32", "198.51.100.9/32"]);

    await stack.must("destroy", "--yes", "--skip-preview");
    expect(emulator.signalings["client-a"]).toEqual(["198.51.100.8/32"]);
    expect(emulator.boundProfile("198.51.100.9")).toBe("profile://edge/clean");
  });
});
