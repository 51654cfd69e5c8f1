import { describe, expect, it } from "vitest";
import { markerIn } from "../../provider/wire/error-marker";
import { commitRefusalIn, errorText, quotable, readAnswer } from "../../provider/wire/node-answer";
import { isOk, refusalIn, signalingPath } from "../../provider/wire/signaling";

describe("an error marker", () => {
  it.each([
    [{ error: "unknown set" }, "unknown set"],
    [{ error: { code: 4, message: "unknown set" } }, "unknown set"],
    [{ error: true, message: "unknown set" }, "unknown set"],
    [{ errors: [{ detail: "one" }, { detail: "two" }] }, "one"],
    [{ status: "ERROR", reason: "busy" }, "busy"],
    [{ result: "fail", data: [] }, "the answer carries an error marker without a message"],
    [{ ok: false, msg: "busy" }, "busy"],
    [{ success: false }, "the answer carries an error marker without a message"],
    [{ error: 17 }, "error 17"],
    [{ err: "unknown set" }, "unknown set"],
    [{ Error: "unknown set", Code: 0 }, "unknown set"],
    [{ errors: { "data[0].p": ["is no prefix"] } }, '{"data[0].p":["is no prefix"]}'],
    [{ code: 1, msg: "no such set" }, "no such set"],
    [{ code: "404", Message: "no such set", data: [] }, "no such set"],
    [{ code: "ERR_NOSET", message: "no such set" }, "no such set"],
    [{ code: "ENOENT", message: "no such set" }, "no such set"],
    [{ error: { code: 0, message: "no such set" } }, "no such set"],
    [{ errno: 2, errmsg: "no such set" }, "no such set"],
    [{ errno: 201, errmsg: "no such set" }, "no such set"],
    [{ errno: "ENOENT", msg: "no such set" }, "no such set"],
    [{ code: -1, error: null, detail: "no such set", success: true }, "no such set"],
    [{ status: 404, message: "no such set" }, "no such set"],
    [{ result: "FAILED" }, "the answer carries an error marker without a message"],
    [{ success: "false", reason: "busy" }, "busy"],
    [{ response: { status: "error", message: "busy" } }, "busy"],
    [{ data: { result: { code: 7, msg: "busy" } } }, "busy"],
    [[{ error: "unknown set" }], "unknown set"],
    [
      [
        { code: 4, message: "unknown set" },
        { code: 4, message: "unknown set" },
      ],
      "unknown set",
    ],
  ])("is found in %j", (json, message) => {
    if (!Array.isArray(json)) expect(markerIn(json)?.message).toBe(message);
    expect(readAnswer(JSON.stringify(json))).toEqual({ kind: "error", message });
  });

  it.each([
    { status: "ok" },
    { count: 3 },
    { error: null, data: [] },
    { error: 0, result: "ok" },
    { error: "", errors: [] },
    { ok: true, success: true },
    [{ error: "a member of an element" }],
    "error",
    0,
    { code: 0, msg: "no such set", data: [] },
    { code: 200, message: "3 entries" },
    { code: 201, message: "created" },
    { code: "OK", message: "3 entries" },
    { code: "CREATED", message: "3 entries" },
    { error: { code: 0, message: "" }, data: [] },
    { error: { code: 0, message: "no error" } },
    { code: 1, msg: "success" },
    { code: 7 },
    { errno: 0, errmsg: "" },
    { errno: 200, errmsg: "3 entries" },
    { error: "none" },
    { err: "0", errors: 0 },
    { status: 200, message: "done" },
    { status: "active" },
    { "192.0.2.0/24": { error: 5 } },
    { rules: { name: "drop", failed: 7 } },
  ])("is not in %j", (json) => {
    expect(markerIn(json)?.message).toBeUndefined();
  });

  it.each([
    [{ id: 1, error: "a member of an element" }],
    [{ status: "failed" }],
    [{ status: "expired" }, { error: "one" }],
    [],
  ])("is not in the list %j", (...elements) => {
    const list = elements.filter((element) => element !== undefined);
    expect(readAnswer(JSON.stringify(list))).toEqual({ kind: "json", json: list });
  });
});

it.each([
  ["", { kind: "empty" }],
  [" \n", { kind: "empty" }],
  ["\uFEFF[]", { kind: "json", json: [] }],
  ["ok", { kind: "text", text: "ok" }],
  ["Error: no such set", { kind: "error", message: "Error: no such set" }],
  ["[ERROR] no such set\n", { kind: "error", message: "[ERROR] no such set" }],
  ['"ERR no such set"', { kind: "error", message: "ERR no such set" }],
  ["errors: 0", { kind: "text", text: "errors: 0" }],
  ["error: none of these is a prefix", { kind: "error", message: "error: none of these is a prefix" }],
  ["3 inserted, no errors", { kind: "text", text: "3 inserted, no errors" }],
  ["errands are done", { kind: "text", text: "errands are done" }],
  ["3", { kind: "json", json: 3 }],
  ["<!doctype html><title> Bad gateway </title>", { kind: "html", title: 'an HTML page titled "Bad gateway"' }],
  ["<p>hello", { kind: "html", title: "an HTML page" }],
])("the body %j is %j", (body, answer) => {
  expect(readAnswer(body)).toEqual(answer);
});

it("what a body says is told in its own words", () => {
  expect(errorText('{"message":"no such set"}')).toBe("no such set");
  expect(errorText('"no such set"')).toBe("no such set");
  expect(errorText("no such set")).toBe("no such set");
  expect(errorText('{"fault":"no such set"}')).toBe("no such set");
  expect(errorText("{}")).toBe("");
  expect(errorText("[]")).toBe("");
  expect(errorText('{"__proto__":1}')).toBe("");
});

it.each([
  ["", "an empty body"],
  [' {"inserted": 0,\n "skipped": 3} ', '{"inserted": 0, "skipped": 3}'],
  ["<html><h1>Welcome</h1>", 'an HTML page titled "Welcome"'],
  ["x".repeat(500), `${"x".repeat(200)}…`],
])("an answer to be quoted later: %j", (body, quoted) => {
  expect(quotable(body)).toBe(quoted);
});

describe("signaling", () => {
  it.each([
    ["secret_key invalid", "secret-invalid"],
    ["  IP_PREFIX Invalid\n", "prefix-invalid"],
    ['{"error":"cloud signaling already active"}', "already-active"],
    ['{"message":"Cloud  signaling is not active"}', "not-active"],
    ['{"detail":"ip_prefix invalid: 198.51.100.0/33"}', "prefix-invalid"],
    ['{"error":{"message":"secret_key invalid"}}', "secret-invalid"],
    ['"secret_key invalid"', "secret-invalid"],
    ["ok", undefined],
    ['{"IP_prefix":["secret_key invalid"]}', undefined],
    ["cloud signaling active", undefined],
  ])("the refusal in %j is %s", (body, reason) => {
    expect(refusalIn(body)).toBe(reason);
  });

  it("ok is ok, and so are words that say the same", () => {
    expect(["ok", "OK", " ok\n", '"ok"', "Accepted", "done."].map(isOk)).toEqual(Array(6).fill(true));
    expect(["", "pending", "not ok", "{}", "ok ok"].map(isOk)).toEqual([false, false, false, false, false]);
  });

  it("the path has one segment for each part", () => {
    expect(signalingPath("a/b", "c?d", "stop")).toBe("/a%2Fb/c%3Fd/stop");
  });
});

it.each<[words: string, reason: string | undefined]>([
  ["nothing to commit", "nothing-staged"],
  ['{"error":"no_changes"}', undefined],
  ["no new changes to commit", "nothing-staged"],
  ["no configuration changes to commit", "nothing-staged"],
  ["Commit not allowed: nothing to commit", "nothing-staged"],
  ["no permission for changes to commit", "not-able"],
  ...["insufficient privileges", "over capacity", "maximum reached", "table overflow", "node is read-only"].map(
    (words): [string, string] => [words, "not-able"],
  ),
  ["Commit aborted, no changes.", undefined],
  ["no modifications to apply", "nothing-staged"],
  ["empty commit not allowed", "nothing-staged"],
  ["no changes were staged", "nothing-staged"],
  ["no permission to commit", "not-able"],
  ["Permission denied: no pending changes were committed", "not-able"],
  ["License exceeded, no changes to apply", "not-able"],
  ["no permission for changes", "not-able"],
  ["table full, no changes were applied", "not-able"],
  ["checksum error, no changes were applied", undefined],
  ["set unchanged", undefined],
  ["E-17", undefined],
  ["", undefined],
])("a commit that is refused with %j has the reason %s", (words, reason) => {
  expect(commitRefusalIn(words)).toBe(reason);
});
