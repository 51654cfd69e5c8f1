import { once } from "node:events";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { native, set } from "./support/native";
import { BLOCKED, since, world } from "./support/world";

const CANARY = "canary-91b2c4";

it("each read function of the plugin answers through the engine, and its failure keeps secrets", async () => {
  const called = `
    const call = (name, args) => pulumi.runtime.invokeOutput("packetfilter:index:" + name, args, native);
    const set = { arena: "edge", set: "blocked" };
    exports.profiles = call("getProfiles", { arena: "edge" }).apply(({ profiles }) => profiles.map(({ name }) => name));
    exports.rules = call("getRules", { arena: "edge", profile: "web" }).apply(({ rules }) => rules);
    exports.marks = call("getMarks", { arena: "edge", profile: "web", type: "shost" }).apply(({ marks }) => marks.map(({ address }) => address));
    exports.entries = call("getPrefixSet", set).apply(({ entries }) => entries);
    exports.active = call("getSignalings", {}).apply(({ prefixes }) => prefixes);
    exports.listed = call("readPrefixFile", { file: "blocked.txt" }).apply(({ entries }) => Object.keys(entries));
  `;
  await using w = await world({ program: native(called), shost: ["192.0.2.9"] });
  const { emulator, stack } = w;
  emulator.change(BLOCKED, { insert: { "192.0.2.0/24": 3 } });
  emulator.signal("client-a", { start: ["198.51.100.7"] });
  await stack.write("blocked.txt", "203.0.113.7 # scanner\n");
  await stack.must("up", "--yes", "--skip-preview");
  const outputs = JSON.parse((await stack.must("stack", "output", "--json")).stdout);
  expect(outputs).toMatchObject({
    profiles: ["clean", "protected", "web"],
    rules: [],
    marks: ["192.0.2.9"],
    entries: { "192.0.2.0/24": 3 },
    active: ["198.51.100.7/32"],
    listed: ["203.0.113.7/32"],
  });

  emulator.fail({
    cmd: "list",
    url: BLOCKED,
    status: 400,
    message: `no list of 198.51.100.77 for ${CANARY}`,
    times: 40,
  });
  const entries = { "198.51.100.77": { value: 1, reason: CANARY } };
  await stack.program(
    native(`
      const entries = pulumi.secret(${JSON.stringify(entries)});
      const kept = new pf.PrefixSet("partners", { arena: "edge", set: "partners", entries }, native);
      const call = () => pulumi.runtime.invokeOutput("packetfilter:index:getPrefixSet", { arena: "edge", set: "blocked" }, native);
      exports.entries = kept.url.apply(call);`),
  );
  const failed = await stack.up("--skip-preview");
  expect(failed.code).not.toBe(0);
  expect(failed.text).toMatch(/HTTP 400.*no list of \[secret\] for \[secret\]/);
  expect(failed.text).not.toMatch(/198\.51\.100\.77|canary/);
});

it("customTimeouts end an update whose node is slow, in time, and the next run settles it", async () => {
  const slow = '{ ...native, customTimeouts: { update: "2s", delete: "2s" } }';
  await using w = await world({ program: native(set({ "192.0.2.0/24": 1 }, slow)) });
  const { emulator, stack } = w;
  await stack.must("up", "--yes", "--skip-preview");
  const delayed = async (...args: string[]) => {
    emulator.fail({ cmd: "commit", kind: "delay", delay: "8s" });
    const run = await stack.pulumi(...args, "--yes", "--skip-preview");
    emulator.clearFaults();
    expect(run.code, run.text).not.toBe(0);
    expect(run.text).toMatch(/not finished in time\. 1 entry of this resource may be .*2 s \(customTimeouts\)/s);
  };
  const entries = { "192.0.2.0/24": 2 };
  await stack.program(native(set(entries, slow)));
  await delayed("up");
  expect((await stack.state()).blocked?.outputs.unsettled).toEqual(["192.0.2.0/24"]);
  await stack.must("up", "--yes", "--skip-preview");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual(entries);
  expect((await stack.state()).blocked?.outputs).not.toHaveProperty("unsettled");

  await delayed("destroy");
  await stack.must("destroy", "--yes", "--skip-preview");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({});
});

it("what fails to be created, updated, read or deleted is said at its resource, and the next run goes on from there", async () => {
  await using w = await world({ program: native(set({ "192.0.2.0/24": 1 })) });
  const { emulator, stack } = w;
  const failing = async (cmd: "commit" | "list", ...args: string[]) => {
    emulator.fail({ cmd, times: 40, status: 400 });
    const run = await stack.pulumi(...args, "--yes", "--skip-preview");
    emulator.clearFaults();
    expect(run.code, run.text).not.toBe(0);
    expect(run.text).toMatch(/packetfilter:index:PrefixSet \(blocked\):[\s\S]*Set prefixset:\/\/edge\/blocked/);
    return run.text;
  };
  await failing("commit", "up");
  await stack.must("up", "--yes", "--skip-preview");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1 });

  await stack.program(native(set({ "192.0.2.0/24": 2, "203.0.113.0/24": 1 })));
  await failing("commit", "up");
  expect(await failing("list", "refresh")).toContain("The state is unchanged");
  await stack.must("up", "--yes", "--skip-preview");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 2, "203.0.113.0/24": 1 });

  await failing("commit", "destroy");
  const sent = since(emulator);
  await stack.must("destroy", "--yes", "--skip-preview");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({});
  expect(sent().at(-1)).toBe("commit");

  await stack.program(
    native('new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries: { "192.0.2.1/24": 1 } }, native);'),
  );
  const wrong = await stack.preview();
  expect(wrong.code).not.toBe(0);
  expect(wrong.text).toContain("192.0.2.1/24");
});

it("an import of a signaling whose prefixes are not active fails, names them, and leaves nothing in the state", async () => {
  await using w = await world({ program: "" });
  const { emulator, stack } = w;
  emulator.signal("client-a", { start: ["198.51.100.7"] });
  const { signalingUrl, clients } = emulator;
  stack.environment({
    PACKETFILTER_SIGNALING_URL: signalingUrl,
    PACKETFILTER_CLIENT_ID: clients[0]?.clientId,
    PACKETFILTER_SECRET_KEY: clients[0]?.secretKey,
  });
  const imported = (...prefixes: string[]) =>
    stack.pulumi(
      "import",
      "packetfilter:index:CloudSignaling",
      "attack",
      prefixes.join(","),
      "--yes",
      "--generate-code=false",
      "--protect=false",
    );
  const refused = await imported("198.51.100.7", "198.51.100.8");
  expect([refused.code === 0, refused.text.replaceAll(/\s+/g, " ")]).toEqual([
    false,
    expect.stringContaining("Nothing was imported: 198.51.100.8/32 is not active at"),
  ]);
  expect(await stack.state()).toEqual({});
  expect((await imported("198.51.100.7")).code).toBe(0);
  expect(Object.keys(await stack.state())).toEqual(["attack"]);
});

it("a set and its provider that leave together after a rotation fail with 401, and the remedy that is named works", async () => {
  await using w = await world({ program: "" });
  const { emulator, stack } = w;
  let valid = "token-a";
  const guarded = createServer((incoming, answer) => {
    if (incoming.headers.authorization !== `Bearer ${valid}`) return answer.writeHead(401).end();
    const { method, headers, url } = incoming;
    incoming.pipe(
      request(`${emulator.endpoint}${url}`, { method, headers }, (response) => {
        answer.writeHead(response.statusCode ?? 502, response.headers);
        response.pipe(answer);
      }),
    );
  }).listen(0, "127.0.0.1");
  await once(guarded, "listening");
  const { port } = guarded.address() as AddressInfo;
  const provider = (token: string) =>
    `const provider = new pf.Provider("site", { endpoint: "http://127.0.0.1:${port}", headers: { authorization: "Bearer ${token}" } });\n`;
  const blocked = set({ "192.0.2.0/24": 1 }, "{ provider }");
  await stack.program(provider("token-a") + blocked);
  await stack.must("up", "--yes", "--skip-preview");

  valid = "token-b";
  await stack.program("");
  const failed = await stack.up("--skip-preview");
  expect(failed.code).not.toBe(0);
  expect(failed.text).toMatch(/HTTP 401/);
  expect(failed.text.replaceAll(/\s+/g, " ")).toContain(
    "A provider resource that left the program together with this one keeps its old credentials: put it back with the new ones, and remove only this resource.",
  );
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1 });

  await stack.program(provider("token-b"));
  await stack.must("up", "--yes", "--skip-preview");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({});
  expect(await stack.state()).toEqual({});
  guarded.closeAllConnections();
  guarded.close();
});
