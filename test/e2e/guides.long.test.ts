import { rm } from "node:fs/promises";
import { request } from "node:http";
import { join } from "node:path";
import { expect } from "vitest";
import { type Emulator, startEmulator } from "../../provider/emulator";
import { guide } from "../support/guide";
import { MAKES, type Make } from "../support/makes";
import { serveHere } from "../support/raw-server";
import { TestStack } from "./support/stack";
import { BLOCKED, blockedSet, mutations, since, world } from "./support/world";

guide("state-lost.md", "a copy brings it back, and without one the program finds what is there", async (guide) => {
  const [OURS, FOREIGN] = ["192.0.2.0/24", "203.0.113.9/32"];
  const program = (more = "") => `
    ${blockedSet([OURS], more)}
    new pf.PrefixSetEntry("scanner", { arena: "edge", set: "partners", prefix: "203.0.113.4", value: 7 });
    new pf.CloudSignaling("attack", { prefixes: ["198.51.100.7"] });
  `;
  await using w = await world({ program: program(), make: "seed:4", withPassphrase: true });
  const { emulator, stack } = w;
  guide.at({ ...stack.place, instead: { "https://192.0.2.10": emulator.endpoint } });
  const lose = () => rm(join(stack.folder, ".backend/.pulumi"), { recursive: true });
  const blocked = () => emulator.prefixSet(BLOCKED).applied;
  await stack.must("up", "--yes", "--skip-preview");
  await guide.next("stack export");
  await lose();
  emulator.change(BLOCKED, { insert: { [FOREIGN]: 1 } });
  let sent = since(emulator);
  expect(await guide.next("stack import")).toContain(FOREIGN);
  expect(sent()).toEqual(["delete 1", "commit"]);

  await lose();
  emulator.change(BLOCKED, { insert: { [FOREIGN]: 1 } });
  sent = since(emulator);
  await guide.next("stack init");
  expect(await guide.next("pulumi up")).toMatch(/already holds 1 entry not declared here: 203\.0\.113\.9\/32/);
  await stack.program(program('onExisting: "adopt"'));
  await guide.next("pulumi up");
  expect(sent().filter((one) => one !== "commit")).toEqual([]);
  expect(blocked()).toEqual({ [OURS]: 1, [FOREIGN]: 1 });
  expect(await guide.next("pulumi preview")).toMatch(
    /up removes 1 entry that the program does not declare: 203\.0\.113\.9\/32/,
  );
  expect(sent().filter((one) => one !== "commit")).toEqual(["delete 1"]);
  expect(blocked()).toEqual({ [OURS]: 1 });
  await guide.next("pulumi-packetfilter import");
  expect(await stack.read("found/index.ts")).toContain('"edge-blocked"');
  await guide.next("--expect-no-changes");

  await stack.must("destroy", "--yes", "--skip-preview");
  expect([blocked(), emulator.signalings["client-a"]]).toEqual([{}, ["198.51.100.7/32"]]);
});

guide(
  "rotating-credentials.md",
  "twelve nodes get a new token, and the gate fails only where the guide says so",
  async (guide) => {
    const names = "ams1 ams2 fra1 fra2 lon1 lon2 mad1 mad2 par1 par2 waw1 waw2".split(" ");
    await using nodes = await startNodes(names, "first");
    await using stack = await TestStack.create({
      program: `new pf.PrefixSetGroup("blocked", { arena: "edge", set: "blocked", entries: ["192.0.2.0/24"], nodes: ${JSON.stringify(names)} });`,
    });
    const settings = names.flatMap((name) => [
      ...["--plaintext", `packetfilter:nodes.${name}.endpoint=${nodes.url(name)}`],
      ...["--secret", `packetfilter:nodes.${name}.headers.authorization=Bearer first`],
      ...Object.entries(MAKES[nodes.make(name)]).flatMap(([key, value]) => [
        "--plaintext",
        `packetfilter:nodes.${name}.${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
      ]),
    ]);
    await stack.must("config", "set-all", "--path", ...settings);
    guide.at({ ...stack.place, env: { ...stack.variables, NEW_TOKEN: "second", NEWER_TOKEN: "third" } });
    await stack.must("up", "--yes", "--skip-preview");
    const sent = () => nodes.emulators.flatMap(mutations);
    const before = sent();
    expect(before).toHaveLength(2 * names.length);

    for (const name of names) nodes.valid(name, "first", "second");
    await guide.next("for node in");
    await guide.next("--run-program");
    await guide.next("pulumi up");
    for (const name of names) nodes.valid(name, "second");
    await guide.next("--refresh --expect-no-changes");

    nodes.valid("ams1", "third");
    expect(await guide.next("--refresh --expect-no-changes")).toMatch(/ams1.*HTTP 401/);
    await guide.next("nodes.ams1");
    await guide.next("--run-program");
    expect(sent()).toEqual(before);
  },
);

/** Emulators of all makes behind one address, each with the tokens that it takes. */
async function startNodes(names: readonly string[], token: string) {
  const emulators = new Map<string, Emulator>();
  const tokens = new Map(names.map((name) => [name, [token]]));
  const make = (name: string) => Object.keys(MAKES)[names.indexOf(name) % Object.keys(MAKES).length] as Make;
  for (const name of names) {
    const state = { arenas: { edge: { sets: { blocked: {} } } } };
    emulators.set(name, await startEmulator({ state, dialect: make(name) }));
  }
  const server = await serveHere((incoming, answer) => {
    const [, name = "", path = ""] = /^\/(\w+)(\/.*)$/.exec(incoming.url ?? "") ?? [];
    const isValid = tokens.get(name)?.some((one) => incoming.headers.authorization === `Bearer ${one}`);
    if (!isValid) return answer.writeHead(401).end();
    const { method, headers } = incoming;
    const own = emulators.get(name)?.endpoint ?? "";
    const forwarded = request(`${own}${path}`, { method, headers }, (response) => {
      // As a proxy does that is told what stands behind it.
      const location = response.headers.location?.replace(own, `http://${incoming.headers.host}/${name}`);
      answer.writeHead(response.statusCode ?? 502, { ...response.headers, ...(location && { location }) });
      response.pipe(answer);
    });
    incoming.pipe(forwarded);
  });
  return {
    emulators: [...emulators.values()],
    make,
    url: (name: string) => `${server.url}/${name}`,
    /** From now on a node takes these tokens and no other. */
    valid: (name: string, ...taken: string[]) => void tokens.set(name, taken),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      for (const emulator of emulators.values()) await emulator.close();
    },
  };
}
