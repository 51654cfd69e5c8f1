import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { NodeClient, type NodeOptions } from "../../provider/client";
import type { PrefixSetUrl } from "../../provider/model/resource-url";
import { commitCommand } from "../../provider/wire/node-command";
import { failureOf, serve } from "./support";

const SET = { kind: "prefixset", arena: "edge", set: "blocked" } as const;
type Told = { status?: number; body?: string; headers?: Record<string, string> };

/** A node that answers each command as `told` says, and `{}` to others. */
async function node(told: Partial<Record<string, Told>>, options: Partial<NodeOptions> = {}) {
  const server = await serve(({ body }, response) => {
    const { status = 200, body: text = "{}", headers = {} } = told[JSON.parse(body).cmd] ?? {};
    response.writeHead(status, headers).end(text);
  });
  const client = new NodeClient({ endpoint: server.url, ...options }, { maxTries: 1 });
  const tell = (error: Error) => error.message.replaceAll(server.host, "NODE");
  return {
    insert: () => client.insert(SET, [["192.0.2.0/24", 1]]).then(() => "done", tell),
    commit: () => client.commit(SET).then(() => "done", tell),
    list: () =>
      client.listPrefixSet(SET).then((entries) => entries.map(({ prefix, value }) => `${prefix} ${value}`), tell),
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe("an answer to a change", () => {
  it.each([
    { code: 1000, message: "Command completed successfully" },
    { code: 7, message: "3 entries inserted successfully" },
  ])("%j is a success by its own words", async (answer) => {
    await using edge = await node({ insert: { body: JSON.stringify(answer) } });
    expect(await edge.insert()).toBe("done");
  });

  it.each([
    { code: 1000, message: "Command not completed" },
    { code: 1000, message: "completed successfully, but not committed" },
    { code: 1, message: "partially completed" },
    { code: 1, message: "unsuccessful" },
  ])("%j is none", async (answer) => {
    await using edge = await node({ insert: { body: JSON.stringify(answer) } });
    expect(await edge.insert()).toContain(`insert failed (HTTP 200): ${answer.message}.`);
  });

  it("with a code that says nothing by itself names the setting, which reads it", async () => {
    const insert = { body: '{"code":1,"message":"3 records"}' };
    await using unset = await node({ insert });
    expect(await unset.insert()).toBe(
      'Set prefixset://edge/blocked on NODE: insert failed (HTTP 200): 3 records. If this node says so where all is well, set answers.success.insert: { member: "code", values: [1] }.',
    );
    await using edge = await node({ insert }, { answers: { success: { member: "code", values: [1] } } });
    expect(await edge.insert()).toBe("done");
  });

  it("is judged per command, by success and by failure, nested and in whatever type", async () => {
    const body = (rc: unknown) => ({ body: JSON.stringify({ reply: { rc, text: "told" } }) });
    const told = { insert: body("7"), commit: body(7), list: { body: "[]" } };
    const member = "reply.rc";
    await using success = await node(told, { answers: { success: { insert: { member, values: [7] } } } });
    expect([await success.insert(), await success.commit()]).toEqual(["done", "done"]);
    await using other = await node(told, { answers: { success: { commit: { member, values: [8] } } } });
    expect(await other.insert()).toBe("done");
    expect(await other.commit()).toContain("commit failed (HTTP 200): ");
    await using failure = await node(told, { answers: { failure: { insert: { member, values: [7, 9] } } } });
    expect(await failure.insert()).toContain("insert failed (HTTP 200): ");
    expect(await failure.commit()).toBe("done");
  });
});

it("an answer that is withheld is not quoted by its remedy either", async () => {
  await using server = await serve(({ body }, response) => {
    response.writeHead(JSON.parse(body).cmd === "list" ? 401 : 200);
    response.end(JSON.stringify({ code: "203.0.113.9", message: "3 records" }));
  });
  const set = server.node().set(SET, () => true);
  const { message } = await failureOf(set.commit());
  expect(message).toContain("commit failed (HTTP 200): the answer is withheld");
  expect(message).not.toContain("203.0.113.9");
  expect((await failureOf(set.list())).message).toContain("Check the credentials of the connection.");
});

describe("words of an answer, in text or XML", () => {
  const [OK, NO] = ["<reply><status>ok</status></reply>", "<reply><status>failed</status></reply>"];
  const text = "<STATUS>ok</status>";
  it.each<[NonNullable<NodeOptions["answers"]>, insert: boolean, commit: boolean, said?: string]>([
    [{ success: { text } }, true, false],
    [{ success: { insert: { text }, commit: { text: "failed" } } }, true, true],
    [{ success: { insert: { text: "done" }, commit: { text: "failed" } } }, false, true],
    [{ failure: { text: "<status>failed" } }, true, false],
    [{ failure: { insert: { text: "<status>ok" }, commit: { text: "done" } } }, false, true],
    [{ failure: { text: "denied" } }, true, false, "<!DOCTYPE html><title>Sign in</title>"],
    [{ failure: { text: "denied" } }, true, false, "<HTML><title>Sign in</title>"],
  ])("%j", async (answers, insert, commit, said = NO) => {
    await using edge = await node({ insert: { body: OK }, commit: { body: said } }, { answers });
    const done = async (change: Promise<string>) => (await change) === "done";
    expect([await done(edge.insert()), await done(edge.commit())]).toEqual([insert, commit]);
  });
});

it.each([
  [undefined, "prefixset://edge/blocked/", "prefixset://edge/web/blocked"],
  ["prefixset://{arena}", "prefixset://edge", "prefixset://edge"],
  ["prefixset://{arena}/{profile}/{set}", "prefixset://edge/blocked", "prefixset://edge/web/blocked"],
  ["prefixset://{arena}/{profile}/all", "prefixset://edge/all", "prefixset://edge/web/all"],
])("the commitUrl %s is that of a set with a profile, or without one", (commitUrl, plain, within) => {
  const urlOf = (url: PrefixSetUrl) => JSON.parse(commitCommand(url, commitUrl)).url;
  expect([urlOf(SET), urlOf({ ...SET, profile: "web" })]).toEqual([plain, within]);
});

describe("a set that is not there", () => {
  it.each<[NonNullable<NodeOptions["answers"]>["absent"], Told]>([
    ["empty", { status: 404, body: "no" }],
    [{ status: 410 }, { status: 410, body: "gone" }],
    [{ text: "No such prefix-set" }, { body: '{"error":"no such PREFIX-SET: blocked"}' }],
    [{ text: "unknown set" }, { status: 500, body: "unknown set" }],
    [{ member: "error.code", values: [17] }, { body: '{"error":{"code":17,"message":"?"}}' }],
  ])("is empty where answers.absent is %j, and an error elsewhere", async (absent, list) => {
    await using edge = await node({ list }, { answers: { absent } });
    expect(await edge.list()).toEqual([]);
    await using strict = await node({ list });
    expect(await strict.list()).toContain("list failed");
  });

  it("is no page of a proxy, and nothing else that fails", async () => {
    const answers = { absent: { text: "not found" } };
    await using proxy = await node({ list: { status: 404, body: "<html>Not found</html>" } }, { answers });
    expect(await proxy.list()).toContain("list failed (HTTP 404)");
    await using other = await node({ list: { status: 404, body: "no route" } }, { answers });
    expect(await other.list()).toContain("list failed (HTTP 404)");
  });
});

it.each<NonNullable<NodeOptions["answers"]>["absent"]>([{ text: "not found" }, { member: "code", values: [0] }])(
  "a set that is listed is there, whatever answers.absent finds beside it: %j",
  async (absent) => {
    const body = '{"code":0,"data":[{"p":"192.0.2.0/24","v":7,"note":"host not found"}]}';
    await using edge = await node({ list: { body } }, { answers: { absent } });
    expect(await edge.list()).toEqual(["192.0.2.0/24 7"]);
  },
);

it("a list goes on where the settings say that the node tells it, and nowhere else", async () => {
  const list = { body: '{"data":[],"count":9,"pager":{"left":2}}', headers: { "x-rest": "2" } };
  await using member = await node({ list }, { answers: { more: { member: "pager.left" } } });
  expect(await member.list()).toContain('"pager.left" says that the list continues');
  await using header = await node({ list }, { answers: { more: { header: "X-Rest" } } });
  expect(await header.list()).toContain("the header X-Rest says that the list continues");
  const empty = { ...list, body: "" };
  await using nothing = await node({ list: empty }, { answers: { empty: "", more: { header: "X-Rest" } } });
  expect(await nothing.list()).toContain("the header X-Rest says that the list continues");
  await using fine = await node({ list }, { answers: { more: { member: "pager.more" } } });
  expect(await fine.list()).toEqual([]);
});

it("a path names what is listed, and an element of an array", async () => {
  const list = { body: '[{"edge":{"blocked":[{"p":"192.0.2.0/24"}],"other":[]}}]' };
  await using edge = await node({ list }, { answers: { path: "0.{arena}.{set}" } });
  expect(await edge.list()).toEqual(["192.0.2.0/24 1"]);
});

describe("a module of one's own", () => {
  const write = (folder: string, code: string) => {
    const file = join(folder, "read.js");
    writeFileSync(file, code);
    return file;
  };

  it("reads what no setting describes", async () => {
    const folder = mkdtempSync(join(tmpdir(), "packetfilter-read-"));
    const read = write(
      folder,
      "exports.default = (body, kind) => body.split('|').map((p) => ({ p: p + '/24', v: kind.length }));",
    );
    await using edge = await node({ list: { body: "192.0.2.0|198.51.100.0" } }, { answers: { read } });
    expect(await edge.list()).toEqual(["192.0.2.0/24 9", "198.51.100.0/24 9"]);
    for (const failure of [{ text: "busy" }, { member: "rc", values: [7] }]) {
      await using failing = await node({ list: { body: '{"rc":7,"text":"Busy"}' } }, { answers: { read, failure } });
      expect(await failing.list()).toContain('list failed (HTTP 200): {"rc":7,"text":"Busy"}');
    }
    rmSync(folder, { recursive: true });
  });

  it.each([
    [
      "module.exports = (body) => {\n  return body.no.such;\n};",
      "read.js:2) failed: Cannot read properties of undefined",
    ],
    ["module.exports = () => ({});", "read.js) returned object for prefixset. It must return an array, not a promise."],
    ["module.exports = async () => [];", "read.js) returned a promise for prefixset"],
    ["exports.read = () => [];", "read.js) failed: the module has no function as its default export"],
    ["module.exports = () => [{}];", "element 0 has no prefix"],
    ["this is no JavaScript", "read.js:1) failed: Unexpected identifier"],
  ])("tells its errors with file and line: %j", async (code, message) => {
    const folder = mkdtempSync(join(tmpdir(), "packetfilter-read-"));
    await using edge = await node({ list: { body: "x" } }, { answers: { read: write(folder, code) } });
    expect(await edge.list()).toContain(message);
    rmSync(folder, { recursive: true });
  });

  it("that is not there is named", async () => {
    await using edge = await node({ list: { body: "x" } }, { answers: { read: "./no-such-module.js" } });
    expect(await edge.list()).toContain("answers.read (./no-such-module.js) failed: Cannot find module");
  });
});
