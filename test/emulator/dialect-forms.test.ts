import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type DialectSettings, deviations, dialect, startEmulator } from "../../provider/emulator";
import { readDialect } from "../../provider/emulator/behaviour/dialect";
import { useFolder } from "../support/folder";
import { BLOCKED, EDGE, fapi, signaling } from "./calls";

const state = {
  arenas: {
    core: { sets: { shared: { "203.0.113.0/24": 1 } } },
    edge: {
      sets: { blocked: { "192.0.2.0/24": 1, "203.0.113.4/32": 7, "2001:db8::/33": 2 } },
      profiles: {
        web: {
          prefixes: ["198.51.100.0/24"],
          rules: [
            { id: 1, match: [{ set: { name: "prefixset://core/shared" } }], actions: ["drop" as const] },
            { id: 2, actions: [{ dhmark: {} }] },
          ],
          marks: {
            sdhost: [
              { source: "203.0.113.9", destination: "198.51.100.7", id: 3 },
              { source: "2001:db8::9", destination: "2001:db8::7", id: 3 },
            ],
          },
        },
      },
    },
  },
};
const start = (settings: DialectSettings) => startEmulator({ state, dialect: settings });

test("missing credentials are answered with the status and in the form of the dialect", async () => {
  const settings = { credentialsStatus: 403, credentialsForm: "text" as const };
  await using emulator = await startEmulator({ auth: { bearer: "t" }, dialect: settings });
  expect(await fapi(emulator, { url: BLOCKED, cmd: "list" })).toMatchObject({ status: 403, text: "unauthorized" });
});

test("a kind of refusal has a form of its own; the others keep that of errorForm", async () => {
  const commands = {
    malformed: { cmd: "destroy" },
    unknown: { cmd: "list", url: "arena://moon" },
    exists: { cmd: "insert", data: [{ p: "192.0.2.0/24", v: 1 }] },
    tooLarge: { cmd: "delete", data: [{ a: "192.0.2.0/24" }, { a: "192.0.2.0/24" }] },
  };
  await using emulator = await start({
    errorForm: "status-200",
    unknownForm: "text",
    unknownStatus: 410,
    insertExisting: "error",
    existsForm: "code-200",
    maxEntriesPerRequest: 1,
    capStatus: 422,
    tooLargeForm: "json",
  });
  const answers: Record<string, [number, string]> = {};
  for (const [kind, command] of Object.entries(commands)) {
    const { status, text } = await fapi(emulator, { url: BLOCKED, ...command });
    answers[kind] = [status, text];
  }
  expect(answers).toEqual({
    malformed: [200, expect.stringContaining('{"status":"error","message":')],
    unknown: [410, "unknown arena moon"],
    exists: [200, '{"code":1,"msg":"entry 0: exists: 192.0.2.0/24"}'],
    tooLarge: [422, '{"error":"too many entries: 2, at most 1 in one request"}'],
  });
});

test("a body that is too large is refused in the form of each API", async () => {
  await using emulator = await start({ maxBodyBytes: 10, capStatus: 400, tooLargeForm: "text" });
  const [client] = emulator.clients;
  const answer = { status: 400, text: "the body is too large: at most 10 bytes" };
  expect(await fapi(emulator, { url: BLOCKED, cmd: "list" })).toMatchObject(answer);
  emulator.setDialect({ maxBodyBytes: 10, capStatus: 400, tooLargeForm: "code-200", signalingErrors: "json" });
  expect(await signaling(emulator.signalingUrl, client, "start", ["198.51.100.7/32"])).toMatchObject({
    status: 400,
    json: { error: answer.text },
  });
});

test.each<[DialectSettings, RegExp]>([
  [
    { unknownStatus: 200, errorForm: "text" },
    /^unknownStatus: .*since text with status 200 has no mark of an error: write a status from 400 on, or another unknownForm, such as "json-200"$/,
  ],
  [{ existsStatus: 299, existsForm: "html" }, /^existsStatus: .*html with status 299/],
  [{ capStatus: 302, tooLargeForm: "html" }, /^capStatus: .*another tooLargeForm/],
  [{ absentStatus: 204 }, /^absentStatus: .*status 204 has no body: write another status, or another absentForm/],
])("%j is refused, since that refusal would read as a success", async (settings, reason) => {
  const refused = expect.objectContaining({
    name: "TypeError",
    message: expect.stringMatching(/^The dialect is not valid: /),
  });
  const error = await start(settings).catch((error) => error);
  expect(error).toEqual(refused);
  expect(error.message.replace(/^The dialect is not valid: |\.$/g, "")).toMatch(reason);
});

test("a refusal with status 200 is one by its form, whatever errorForm is", () => {
  const settings = {
    errorForm: "text",
    unknownStatus: 200,
    unknownForm: "json",
    absentStatus: 204,
    absentForm: "text-200",
  };
  expect(deviations(dialect(settings as DialectSettings))).toEqual(settings);
});

test("a success in a text of its own is JSON by its content type where it is an object, and plain text otherwise", async () => {
  await using emulator = await start({ insertText: '{"stored":{count}}', deleteText: "{count} gone", commitText: "7" });
  const typeOf = async (cmd: string, data?: object[]) => {
    const { headers, text } = await fapi(emulator, { url: BLOCKED, cmd, data });
    return [headers.get("content-type"), text];
  };
  expect(await typeOf("insert", [{ p: "192.0.2.7", v: 1 }])).toEqual(["application/json", '{"stored":1}']);
  expect(await typeOf("delete", [{ a: "192.0.2.7" }])).toEqual(["text/plain; charset=utf-8", "1 gone"]);
  expect(await typeOf("commit")).toEqual(["text/plain; charset=utf-8", "7"]);
});

test("the first accepted insert creates a set in an existing arena and profile", async () => {
  await using emulator = await start({ unknownSet: "made" });
  const call = async (url: string, cmd: string, data?: object[]) => (await fapi(emulator, { url, cmd, data })).status;
  const [made, local] = ["prefixset://edge/new", "prefixset://edge/web/new"];
  expect([await call(made, "list"), await call(made, "commit")]).toEqual([404, 404]);
  expect(await call(made, "insert", [{ p: "none", v: 1 }])).toBe(400);
  expect(await call(made, "list")).toBe(404);
  for (const url of [made, local]) {
    expect(await call(url, "insert", [{ p: "192.0.2.0/24", v: 1 }])).toBe(200);
    expect(await call(url, "commit")).toBe(200);
    expect(emulator.prefixSet(url).applied).toEqual({ "192.0.2.0/24": 1 });
  }
  expect(await call("prefixset://edge/nowhere/new", "insert", [{ p: "192.0.2.0/24", v: 1 }])).toBe(404);
  for (const name of ["constructor", "__proto__"])
    expect(await call(`prefixset://edge/${name}`, "insert", [{ p: "192.0.2.0/24", v: 1 }])).toBe(400);
  await using again = await startEmulator({ state: emulator.state() });
  expect(again.prefixSet(local)).toEqual(emulator.prefixSet(local));
});

test("a profile has the tables that its rules or its state speak of", async () => {
  await using emulator = await start({ missingTable: "error" });
  const statuses = ["shost", "dhost", "sdhost", "conn"].map(
    async (type) => (await fapi(emulator, { url: "mark://edge/web", cmd: "list", type }, EDGE)).status,
  );
  expect(await Promise.all(statuses)).toEqual([404, 200, 200, 404]);
});

test("a rule looks into the global set of another arena", async () => {
  await using emulator = await start({});
  const packet = { to: "198.51.100.7", proto: "udp" } as const;
  const verdicts = emulator.receive([
    { ...packet, from: "203.0.113.9" },
    { ...packet, from: "192.0.2.9" },
  ]);
  expect(verdicts.map(({ verdict }) => verdict)).toEqual(["drop", "accept"]);
  const rules = [{ match: [{ set: { name: "prefixset://core/nowhere" } }] }];
  const broken = { arenas: { edge: { profiles: { web: { rules } } } } };
  await expect(startEmulator({ state: broken })).rejects.toThrow(/no prefix-set "prefixset:\/\/core\/nowhere"/);
});

const folder = useFolder();

async function fileOf(content: unknown): Promise<string> {
  const path = join(folder, "node.json");
  await writeFile(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

test("a dialect is read from a file, alone or beside other things", async () => {
  const settings = { listEnvelope: "data.items", unknownStatus: 400 };
  expect(await readDialect(await fileOf(settings))).toEqual(dialect(settings));
  expect(await readDialect(await fileOf({ settings: { answers: {} }, dialect: settings }))).toEqual(dialect(settings));
  expect(await readDialect("seed:7")).toEqual(dialect("seed:7"));
  expect(await readDialect("terse")).toEqual(dialect("terse"));
});

test.each<[unknown, RegExp]>([
  [{ dialect: { listShow: "staged" } }, /node\.json: .*there is no "listShow"; did you mean "listShows"\?/],
  [{ listShows: "stagd" }, /listShows: must be one of "applied", "staged", not "stagd"; did you mean "staged"\?/],
  [{ listEnvelope: "two words" }, /listEnvelope: must be a name/],
  [{ maxValue: -1 }, /maxValue: /],
  [{ markKeys: "adress=ip" }, /markKeys: must be "short", "long" or names of members/],
  [{ prefixKey: "v" }, /prefixKey: two members of an entry would have the name "v"/],
  [{ lengthKey: "p" }, /two members of an entry would have the name "p"/],
  [{ addressForm: "range", rangeEndKey: "start" }, /two members of an entry would have the name "start"/],
  [{ nameKey: "match" }, /nameKey: two members of a rule would have the name "match"/],
  [{ markKeys: "value=id" }, /markKeys: two members of a mark of shost would have the name "id"/],
  [{ markKeys: "source=t" }, /markKeys: two members of a mark of sdhost would have the name "t"/],
  [
    { listEnvelope: "status", listVerdict: "status" },
    /listEnvelope: two members of an answer would have the name "status"/,
  ],
  [
    { rulesEnvelope: "msg.rows", listVerdict: "code" },
    /rulesEnvelope: two members of an answer would have the name "msg"/,
  ],
  [
    { signalingErrorText: "ok", signalingErrorStatus: 200 },
    /signalingErrorStatus: the refusal would read as a success/,
  ],
  [{ signalingErrorText: "{message}", signalingErrorStatus: 204 }, /the refusal would read as a success/],
  [{ signalingErrorText: "{message}", signalingErrorStatus: 99 }, /must be 0, or a status from 200 to 599/],
  [{ existsText: "no: {message}", existsStatus: 204 }, /existsStatus: the refusal would read as a success/],
  [{ errorText: "OK", unknownStatus: 200 }, /unknownStatus: the refusal would read as a success/],
  [{ insertText: '{"stored":{cuont}}' }, /insertText: \{cuont\} stands for nothing; there is \{count\}/],
  [{ errorText: "{count} errors" }, /errorText: \{count\} stands for nothing; there is \{message\}, \{status\}/],
  [{ signalingErrorText: "{status}" }, /signalingErrorText: \{status\} stands for nothing; there is \{message\}/],
  [{ commitUrl: "prefixset://{arenas}" }, /commitUrl: \{arenas\} stands for nothing; there is \{arena\}, /],
  [{ setTemplate: "{prefix}{|}{prefix}{|},{|}{|}" }, /setTemplate: \{prefix\} stands for nothing; .*in a record/],
  [{ profilesTemplate: "{|}{count}{|},{|}{|}" }, /profilesTemplate: \{count\} stands for nothing/],
  [{ marksTemplate: "{|}{mark}{|},{|}{|}" }, /marksTemplate: \{mark\} stands for nothing/],
  [[], /must be an object, not an array/],
  ["{", /node\.json is not JSON/],
])("the file %j is refused with what was meant", async (content, reason) => {
  await expect(readDialect(await fileOf(content))).rejects.toThrow(reason);
});

test("a dialect that is neither a name nor a file is refused with the names", async () => {
  await expect(readDialect(join(folder, "missing.json"))).rejects.toThrow(/write default, .*seed:N, or a file/);
});

test.each([
  ["prefixset://{arena}/", "prefixset://edge/"],
  ["arena://{arena}", "arena://edge"],
])("a commit has the url %s", async (commitUrl, url) => {
  await using emulator = await start({ commitUrl });
  await fapi(emulator, { url: BLOCKED, cmd: "delete", data: [{ a: "192.0.2.0/24" }] });
  emulator.fail({ kind: "full-table", cmd: "commit", url });
  expect((await fapi(emulator, { url, cmd: "commit" })).status).toBe(507);
  expect((await fapi(emulator, { url, cmd: "commit" })).status).toBe(200);
  expect(emulator.prefixSet(BLOCKED).applied).not.toHaveProperty(["192.0.2.0/24"]);
  emulator.expectRequests({ cmd: "commit", url }, 2);
});

test("the verdict of a list is in the outermost object, also within an array", async () => {
  await using emulator = await start({ listEnvelope: "0.rows", listVerdict: "status", profilesEnvelope: "0" });
  const arena = { url: "arena://edge", cmd: "list" };
  expect((await fapi(emulator, { url: BLOCKED, cmd: "list" })).json).toMatchObject([
    { status: "ok", rows: { length: 3 } },
  ]);
  expect((await fapi(emulator, arena)).json).toEqual([[{ name: "web" }]]);
  expect(() => dialect({ listEnvelope: "0.status", listVerdict: "status" })).toThrow('would have the name "status"');
});
