import { describe, expect, it } from "vitest";
import { errorIn, errorText, readAnswer } from "../../provider/wire/node-answer";
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
  ])("is found in %j", (json, message) => {
    expect(errorIn(json)).toBe(message);
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
  ])("is not in %j", (json) => {
    expect(errorIn(json)).toBeUndefined();
  });
});

it.each([
  ["", { kind: "empty" }],
  [" \n", { kind: "empty" }],
  ["\uFEFF[]", { kind: "json", json: [] }],
  ["ok", { kind: "text", text: "ok" }],
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
  expect(errorText("[]")).toBe("");
  expect(errorText('{"__proto__":1}')).toBe("");
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

  it("ok is ok, and nothing else", () => {
    expect(["ok", "OK", " ok\n", '"ok"'].map(isOk)).toEqual([true, true, true, true]);
    expect(["", "okay", "not ok", "{}", "ok ok"].map(isOk)).toEqual([false, false, false, false, false]);
  });

  it("the path has one segment for each part", () => {
    expect(signalingPath("a/b", "c?d", "stop")).toBe("/a%2Fb/c%3Fd/stop");
  });
});
