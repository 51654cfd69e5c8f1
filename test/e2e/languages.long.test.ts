import { execFile } from "node:child_process";
import { cp, symlink } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { run as command } from "../commands/support";
import { Guide, guide } from "../support/guide";
import { type TestStack, TYPES_ARE_CHECKED } from "./support/stack";
import { BLOCKED, since, world } from "./support/world";

const root = process.cwd();
const PARTNERS = "prefixset://edge/partners";
const DECLARED = { "192.0.2.0/24": 1, "203.0.113.7/32": 2, "2001:db8:bad::/48": 1 };

/** The folder of the language hosts and of what writes a local SDK. */
let bin: string;
let venv: string;

beforeAll(async () => {
  const { ensurePart } = await import("../../tools/pulumi-cli/parts.mjs");
  const { ensurePython } = await import("../../tools/python/ensure.mjs");
  for (const part of ["python", "go", "yaml", "local-sdk"] as const) bin = await ensurePart(part);
  venv = await ensurePython();
}, 900_000);

const run = async (command: string, args: readonly string[], folder: string) => {
  await promisify(execFile)(command, [...args], { cwd: folder, env: { ...process.env, CGO_ENABLED: "0" } });
};

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

/** A header that no state may show, given where an SDK marks nothing as a secret. */
const CANARY = "canary-2f8e61";
const WITH_CREDENTIALS: Record<string, { file: string; more: (endpoint: string) => string }> = {
  nodejs: {
    file: "index.js",
    more: (endpoint) => `
const headers = { "X-Canary": "${CANARY}" };
new packetfilter.Provider("eu", { nodes: { fra1: { endpoint: "http://192.0.2.10", headers } }, node: { headers } });
new packetfilter.PrefixSet("web", { arena: "edge", profile: "web", set: "blocked", entries: {}, node: { endpoint: "${endpoint}", headers } });
`,
  },
  python: {
    file: "__main__.py",
    more: (endpoint) => `
headers = {"X-Canary": "${CANARY}"}
packetfilter.Provider("eu", nodes={"fra1": {"endpoint": "http://192.0.2.10", "headers": headers}}, node={"headers": headers})
packetfilter.PrefixSet("web", arena="edge", profile="web", set="blocked", entries={}, node={"endpoint": "${endpoint}", "headers": headers})
`,
  },
};

/** A local SDK, as `pulumi package add` makes one with today's hosts, which Go cannot build: tools/pulumi-cli/README.md. */
async function localSdk(language: string, folder: string): Promise<string> {
  const sdk = join(folder, "sdks/packetfilter");
  const schema = join(root, "schemas/provider.schema.json");
  await run(join(bin, "packetfilter-local-sdk"), [language, schema, sdk], folder);
  return sdk;
}

/** Prepares a stack for a program of `examples/`, by language. */
const LANGUAGES: Record<string, (stack: TestStack) => Promise<void>> = {
  async yaml() {
    // Its host asks the plugin for the schema.
  },
  async typescript(stack) {
    stack.environment(TYPES_ARE_CHECKED);
  },
  async nodejs({ folder }) {
    const sdk = await localSdk("nodejs", folder);
    const tsc = join(root, "node_modules/typescript/lib/tsc.js");
    await run(process.execPath, [tsc, "-p", ".", "--skipLibCheck"], sdk);
    // Its script after an installation does so.
    await cp(join(sdk, "package.json"), join(sdk, "bin/package.json"));
  },
  async python(stack) {
    await localSdk("python", stack.folder);
    await symlink(venv, join(stack.folder, "venv"));
    const pip = ["-m", "pip", "install", "--quiet", "--no-deps", "--target", "lib", "./sdks/packetfilter"];
    await run(join(venv, "bin/python"), pip, stack.folder);
    // The host of 3.68.0 takes the first python3 on PATH, whatever the option "virtualenv" says.
    const PATH = [join(venv, "bin"), stack.variables.PATH].join(delimiter);
    stack.environment({ PATH, PYTHONPATH: join(stack.folder, "lib") });
  },
  async go({ folder }) {
    await localSdk("go", folder);
    const module = "example.com/pulumi-packetfilter/sdk/go";
    await run("go", ["mod", "edit", `-replace=${module}=./sdks/packetfilter`], folder);
    await run("go", ["mod", "tidy"], folder);
    await run("go", ["vet", "."], folder);
  },
};

/** The folder of a program with its local SDK where it needs one, as the reader of the guide has it, and an emulator that the environment names. */
async function programIn(language: string) {
  const w = await world({ program: NODE });
  const { emulator, stack } = w;
  if (language !== "nodejs") {
    await cp(join(root, "examples", language), stack.folder, { recursive: true });
    const project = await stack.read("Pulumi.yaml");
    await stack.write("Pulumi.yaml", project.replace(/^name: .*\n/, "name: journey\n"));
  }
  await LANGUAGES[language]?.(stack);
  const { endpoint, signalingUrl, clients } = emulator;
  stack.environment({
    PATH: [stack.variables.PATH, bin].join(delimiter),
    HOME: process.env.HOME,
    PACKETFILTER_ENDPOINT: endpoint,
    PACKETFILTER_SIGNALING_URL: signalingUrl,
    PACKETFILTER_CLIENT_ID: clients[0]?.clientId,
    PACKETFILTER_SECRET_KEY: clients[0]?.secretKey,
  });
  return w;
}

/** The commands of an example's README, typed one after the other at this emulator. Gives what they printed. */
async function asItsReadmeSays(language: string, { emulator, stack }: Awaited<ReturnType<typeof programIn>>) {
  await using reading = new Guide(`../../examples/${language}/README.md`);
  reading.at({
    ...stack.place,
    instead: {
      "npx pulumi-packetfilter emulator --port 8080": "echo This one runs already.",
      "http://127.0.0.1:8080/path": emulator.signalingUrl,
      "http://127.0.0.1:8080": emulator.endpoint,
      "emulator-secret-a": emulator.clients[0]?.secretKey ?? "",
      "stack init dev": "stack select test",
    },
  });
  let printed = "";
  while (reading.left().length > 0) printed += await reading.next("");
  return printed;
}

guide("languages.md", "a program in Python goes from an empty stack to a set that holds its entries", async (guide) => {
  await using w = await programIn("python");
  const { emulator, stack } = w;
  guide.at({
    ...stack.place,
    instead: { "stack init dev": "stack select test", "http://127.0.0.1:8080": emulator.endpoint },
  });
  expect(await guide.next("pulumi up")).toMatch(/held *: 3\b/);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual(DECLARED);
});

test.each(Object.keys(LANGUAGES))(
  "a program in %s creates, keeps, puts back, changes and removes what one in TypeScript does",
  async (language) => {
    await using w = await programIn(language);
    const { emulator, stack } = w;

    let sent = since(emulator);
    const planned = await stack.preview();
    expect(planned.text).toMatch(new RegExp(`url +: "${BLOCKED}"`));
    expect(planned.text).toMatch(/held +: 3\b/);
    const created =
      language === "nodejs"
        ? (await stack.must("up", "--yes", "--skip-preview")).text
        : await asItsReadmeSays(language, w);
    expect(created).toMatch(/profiles: \[\s+\[0\]: (?:\{\s+name: )?"clean"/);
    expect(sent().toSorted()).toEqual(["commit", "commit", "insert 1", "insert 3", "start 1"]);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual(DECLARED);
    expect(emulator.prefixSet(PARTNERS).applied).toEqual({ "203.0.113.4/32": 7 });
    expect(Object.values(emulator.signalings).flat()).toEqual(["198.51.100.7/32"]);

    sent = since(emulator);
    const again = await stack.up("--skip-preview", "--expect-no-changes");
    expect(again.code, again.text).toBe(0);
    expect(sent()).toEqual([]);

    emulator.change(BLOCKED, { delete: ["192.0.2.0/24"] });
    const seen = await stack.preview();
    expect(seen.text).toContain("lacks 1 declared entry (192.0.2.0/24): this up puts it back");
    const healed = await stack.up("--skip-preview");
    expect(healed.code, healed.text).toBe(0);
    expect(sent()).toEqual(["insert 1", "commit"]);
    expect(emulator.prefixSet(BLOCKED).applied).toEqual(DECLARED);

    const credentials = WITH_CREDENTIALS[language];
    if (credentials) {
      const { file, more } = credentials;
      await stack.write(file, (await stack.read(file)) + more(emulator.endpoint));
      const kept = await stack.up("--skip-preview");
      expect(kept.code, kept.text).toBe(0);
      const state = await stack.read(".backend/.pulumi/stacks/journey/test.json");
      expect(Object.keys(await stack.state())).toContain("web");
      for (const secret of [CANARY, emulator.clients[0]?.secretKey]) expect(state).not.toContain(secret);
    }

    const destroyed = await stack.destroy();
    expect(destroyed.code, destroyed.text).toBe(0);
    expect([emulator.prefixSet(BLOCKED).applied, emulator.prefixSet(PARTNERS).applied]).toEqual([{}, {}]);
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
