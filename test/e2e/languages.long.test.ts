import { cp, readFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { run as command } from "../commands/support";
import { guide } from "../support/guide";
import { LANGUAGES, languageHosts } from "./support/languages";
import { BLOCKED, emptyNode, since, variablesOf, world } from "./support/world";

const root = process.cwd();
const PARTNERS = "prefixset://edge/partners";
const DECLARED = { "192.0.2.0/24": 1, "203.0.113.7/32": 2, "2001:db8:bad::/48": 1 };

/** The folder of the language hosts. */
let bin: string;

beforeAll(async () => {
  const { ensurePython } = await import("../../tools/python/ensure.mjs");
  bin = await languageHosts();
  await ensurePython();
}, 900_000);

/** Node's program, whose resources are those of the plugin since their package is made from the schema. */
const NODE = `
const packetfilter = require("./sdks/packetfilter");
const entries = { "192.0.2.0/24": 1, "203.0.113.7": { value: 2, reason: "SYN flood" }, "2001:db8:bad::/48": 1 };
const blocked = new packetfilter.PrefixSet("blocked", { arena: "edge", set: "blocked", entries });
new packetfilter.PrefixSetEntry("scanner", { arena: "edge", set: "partners", prefix: "203.0.113.4", value: 7 });
new packetfilter.CloudSignaling("attack-4711", { prefixes: ["198.51.100.7"], reason: "UDP flood" });
exports.url = blocked.url;
exports.held = blocked.count;
exports.profiles = packetfilter.getProfilesOutput({ arena: "edge" }).profiles.apply((all) => all.map(({ name }) => name));
`;

/** The folder of a program with its local SDK where it needs one, as the reader of the guide has it, and an emulator that the environment names. */
async function programIn(language: string) {
  const w = await world({ program: NODE });
  const { emulator, stack } = w;
  if (language !== "nodejs") {
    await cp(join(root, "examples", language), stack.folder, { recursive: true });
    const project = await stack.read("Pulumi.yaml");
    await stack.write("Pulumi.yaml", project.replace(/^name: .*\n/, "name: journey\n"));
  }
  stack.environment((await LANGUAGES[language]?.({ folder: stack.folder, env: stack.variables })) ?? {});
  stack.environment({
    PATH: [stack.variables.PATH, bin].join(delimiter),
    HOME: process.env.HOME,
    ...variablesOf(emulator),
  });
  return w;
}

guide("languages.md", "a program in Python goes from an empty stack to a set that holds its entries", async (guide) => {
  await using w = await programIn("python");
  const { emulator, stack } = w;
  guide.at({
    ...stack.place,
    instead: { "stack init dev": "stack select test", "http://127.0.0.1:8080": emulator.endpoint },
  });
  expect(await guide.next("plugin install")).toContain("resource-packetfilter-v");
  expect(await guide.next("pulumi up")).toMatch(/held *: 3\b/);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual(DECLARED);
});

test.each(Object.keys(LANGUAGES))(
  "a program in %s creates, keeps, restores, changes and removes what one in TypeScript does",
  async (language) => {
    await using w = await programIn(language);
    const { emulator, stack } = w;

    let sent = since(emulator);
    const planned = await stack.preview();
    expect(planned.text).toMatch(new RegExp(`url +: "${BLOCKED}"`));
    expect(planned.text).toMatch(/held +: 3\b/);
    const created = await stack.must("up", "--yes", "--skip-preview");
    expect(created.text).toMatch(/profiles: \[\s+\[0\]: (?:\{\s+name: )?"clean"/);
    expect(sent().toSorted()).toEqual(["commit", "commit", "insert 1", "insert 3", "start 1"]);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual(DECLARED);
    expect(emulator.prefixSet(PARTNERS).applied).toEqual({ "203.0.113.4/32": 7 });
    expect(Object.values(emulator.signalings).flat()).toEqual(["198.51.100.7/32"]);

    sent = since(emulator);
    await stack.must("up", "--yes", "--skip-preview", "--expect-no-changes");
    expect(sent()).toEqual([]);

    emulator.change(BLOCKED, { delete: ["192.0.2.0/24"] });
    const seen = await stack.preview();
    expect(seen.text).toContain("lacks 1 declared entry (192.0.2.0/24): this up restores it");
    await stack.must("up", "--yes", "--skip-preview");
    expect(sent()).toEqual(["insert 1", "commit"]);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual(DECLARED);

    await stack.must("destroy", "--yes", "--skip-preview");
    expect([emulator.prefixSet(BLOCKED).applied, emulator.prefixSet(PARTNERS).applied]).toEqual([{}, {}]);
  },
  600_000,
);

test.each(["python", "yaml"])(
  "a group in %s, as the page has it, gives the entries of a file to every node",
  async (language) => {
    await using w = await programIn(language);
    const { emulator: lab1, stack } = w;
    await using fra1 = await emptyNode();
    for (const [name, { endpoint }] of Object.entries({ lab1, fra1 }))
      await stack.must("config", "set", "--path", `packetfilter:nodes.${name}.endpoint`, endpoint);
    await stack.write("blocks.yaml", await readFile(join(root, "examples/many-nodes/blocks.yaml"), "utf8"));
    const shown = (file: string) => readFile(join(root, "test/e2e/support/group", file), "utf8");
    if (language === "python") await stack.write("__main__.py", await shown("__main__.py"));
    else {
      const [head] = (await stack.read("Pulumi.yaml")).split("resources:");
      await stack.write("Pulumi.yaml", head + (await shown("resources.yaml")));
    }
    await stack.must("up", "--yes", "--skip-preview");
    const everywhere = { "192.0.2.0/24": 1, "203.0.113.7/32": 2 };
    expect(lab1.prefixSet(BLOCKED).applied).toEqual(everywhere);
    expect(fra1.prefixSet(BLOCKED).applied).toEqual({ ...everywhere, "198.51.100.0/24": 2 });
    await stack.must("preview", "--expect-no-changes");
  },
  600_000,
);

test("what a node holds comes under a program in YAML, which the engine prints at the import", async () => {
  await using w = await world({ program: "" });
  const { emulator, stack } = w;
  emulator.change(BLOCKED, { insert: DECLARED });
  emulator.change(PARTNERS, { insert: { "203.0.113.4/32": 7, "2001:db8::4/128": 8 } });
  emulator.signal("client-a", { start: ["198.51.100.7"] });
  const project = (await stack.read("Pulumi.yaml")).replace("runtime: nodejs", "runtime: yaml");
  await stack.write("Pulumi.yaml", project);
  stack.environment({ PATH: [stack.variables.PATH, bin].join(delimiter) });
  const { endpoint, signalingUrl, clients } = emulator;
  const { clientId = "", secretKey = "" } = clients[0] ?? {};
  const env = {
    PACKETFILTER_ENDPOINT: endpoint,
    PACKETFILTER_SIGNALING_URL: signalingUrl,
    PACKETFILTER_CLIENT_ID: clientId,
    PACKETFILTER_SECRET_KEY: secretKey,
  };
  const sent = since(emulator);
  let resources = "resources:\n";
  for (const args of [
    [BLOCKED, "--signaling"],
    [PARTNERS, "--as", "entries"],
  ]) {
    const written = await command(["import", ...args, "--native", "--out", args[0] === BLOCKED ? "one" : "two"], {
      folder: stack.folder,
      env,
    });
    expect(written.code, written.err).toBe(0);
    const [, next = ""] = /^ {2}pulumi (import .*)$/m.exec(written.out) ?? [];
    const imported = await stack.must(...next.split(" "));
    resources += imported.stdout.slice(imported.stdout.indexOf("resources:\n") + "resources:\n".length);
  }
  await stack.write("Pulumi.yaml", project + resources);
  await stack.must("preview", "--refresh", "--expect-no-changes");
  expect(
    Object.values(await stack.state())
      .map(({ id }) => id)
      .toSorted(),
  ).toEqual(["198.51.100.7/32", BLOCKED, `${PARTNERS}#2001:db8::4/128`, `${PARTNERS}#203.0.113.4/32`]);
  expect(sent()).toEqual([]);
}, 300_000);
