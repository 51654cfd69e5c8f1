import { describe, expect, it } from "vitest";
import { NodeClient, nodeOptionsSchema, receiverOptionsSchema, SignalingClient } from "../../provider/client";
import { CONFIG_KEYS, unknownKeys } from "../../provider/settings/config-keys";
import { readSettings } from "../../provider/settings/settings";

/** Every key of `packetfilter:` before the members of the unnamed node and receiver stood under keys of their own. */
const KEYS = {
  kept: [
    "endpoint",
    "headers",
    "nodes",
    "signalingUrl",
    "clientId",
    "secretKey",
    "receivers",
    "forbiddenPrefixes",
    "requiredPrefixes",
    "shortestPrefix",
    "maxEntries",
    "maxRemovals",
    "maxChanges",
    "distinctNodes",
    "readOnly",
    "auditLog",
  ],
  moved: {
    previewReads: ["detectDrift"],
    signalingAnswers: ["receiver.answers"],
    absentSet: ["node.answers.absent"],
    maxTries: ["node.deadlineMs", "receiver.deadlineMs"],
    retryPauseMs: ["node.deadlineMs", "receiver.deadlineMs"],
    maxRetryPauseMs: ["node.deadlineMs", "receiver.deadlineMs"],
    tls: ["node.tls", "receiver.tls"],
    timeoutMs: ["node.timeoutMs", "receiver.timeoutMs"],
    deadlineMs: ["node.deadlineMs", "receiver.deadlineMs"],
    userArena: ["node.userArena"],
    maxEntriesPerRequest: ["node.maxEntriesPerRequest"],
    maxBytesPerRequest: ["node.maxBytesPerRequest"],
    maxConcurrency: ["node.maxConcurrency"],
    maxAnswerBytes: ["node.maxAnswerBytes"],
    maxListRecords: ["node.maxListRecords"],
    maxValue: ["node.maxValue"],
    commitCoalesceMs: ["node.commitCoalesceMs"],
    commitDelayMs: ["node.commitDelayMs"],
    foreignStaged: ["node.foreignStaged"],
    insertExisting: ["node.insertExisting"],
    commitUrl: ["node.commitUrl"],
    answers: ["node.answers"],
    onUnreachable: ["node.onUnreachable"],
    markPauseMs: ["node.markPauseMs"],
    markPace: ["node.markPace"],
  },
} as const;

const settings = (config: Record<string, unknown>) => readSettings((key) => config[key], {}).node(undefined);

describe("every key that there was", () => {
  it.each(KEYS.kept)("is read still: %s", (key) => {
    expect(CONFIG_KEYS).toContain(key);
    expect(unknownKeys([`packetfilter:${key}`])).toEqual({ refused: [], passed: [] });
  });

  it.each(Object.entries(KEYS.moved))("or is refused with its new place: %s", (key, places) => {
    const paths = places.map((place) => `packetfilter:${place}`);
    const sentence = `packetfilter:${key} is ${paths.join(" and ")} now: set it with pulumi config set`;
    expect(() => settings({ endpoint: "http://192.0.2.1", [key]: "1" })).toThrow(sentence);
    expect(unknownKeys([`packetfilter:${key}`])).toEqual({ refused: [expect.stringContaining(sentence)], passed: [] });
  });

  it.each([...new Set(Object.values(KEYS.moved).flat())])("at a place that is read: %s", (place) => {
    const [key = "", member] = place.split(".");
    expect(CONFIG_KEYS).toContain(key);
    if (member === undefined) return;
    const schema = key === "node" ? nodeOptionsSchema : receiverOptionsSchema;
    const { error } = schema.safeParse({ [member]: {} });
    expect(error?.issues.flatMap((issue) => ("keys" in issue ? issue.keys : []))).toEqual([]);
  });
});

describe("every member of a node and of a receiver that there was", () => {
  const node = { endpoint: "http://192.0.2.1" };
  const receiver = { url: "http://192.0.2.3", clientId: "client-a", secretKey: "key-a" };
  it.each([
    ["maxTries", "`deadlineMs`"],
    ["retryPauseMs", "`deadlineMs`"],
    ["maxRetryPauseMs", "`deadlineMs`"],
    ["absentSet", '`answers.absent`: "empty"'],
  ])("is refused with what stands in its place: %s", (member, place) => {
    expect(() => new NodeClient({ ...node, [member]: 1 })).toThrow(place);
    expect(() => new SignalingClient({ ...receiver, [member]: 1 })).toThrow(place);
    expect(() => settings({ node: { ...node, [member]: 1 } })).toThrow(place);
  });
});
