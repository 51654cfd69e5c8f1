import { expect, it } from "vitest";
import { named, openSettings } from "../../provider/plugin/spelling";
import { struct } from "./support/fake-engine";
import { secret } from "./support/secrets";

it("members of a connection have the names of the package, however Python's SDK passed them", () => {
  const headers = { x_own: "kept" };
  const node = {
    endpoint: "https://192.0.2.10",
    timeout_ms: 9,
    headers,
    proxy: null,
    tls: { server_name: "a.example" },
  };
  expect(named({ set: "a_b", node, receiver: { client_id: "a", secretKey: "b" } })).toEqual({
    set: "a_b",
    node: { endpoint: "https://192.0.2.10", timeoutMs: 9, headers, tls: { serverName: "a.example" } },
    receiver: { clientId: "a", secretKey: "b" },
  });
  expect(named({ node: "fra_1" })).toEqual({ node: "fra_1" });
  expect(named({ node: { timeout_ms: 1, timeoutMs: 2 } })).toEqual({ node: { timeout_ms: 1, timeoutMs: 2 } });
});

it("so have members of the nodes of a group, whose own names and prefixes stay", () => {
  const entries = { "192.0.2.0/24": { value: 1, in_words: "x" } };
  expect(named({ nodes: { n_one: { max_removals: 5, on_existing: "adopt", entries }, n2: {} } })).toEqual({
    nodes: { n_one: { maxRemovals: 5, onExisting: "adopt", entries }, n2: {} },
  });
  expect(named({ nodes: ["n_one"] })).toEqual({ nodes: ["n_one"] });
  // None of Python is no value, and in place of an entry an error.
  const noted = { "192.0.2.0/24": { value: 1, ticket: null, in_words: "x" }, "198.51.100.0/24": null };
  const kept = { ...entries, "198.51.100.0/24": null };
  expect(named({ nodes: { n2: { entries: noted } } })).toEqual({ nodes: { n2: { entries: kept } } });
  expect(named({ entries: [{ prefix: "192.0.2.0/24", reason: null }] })).toEqual({
    entries: [{ prefix: "192.0.2.0/24" }],
  });
});

it("so have columns of a file", () => {
  const select = { is_new: true };
  expect(named({ columns: { prefix_length: "mask" }, select })).toEqual({ columns: { prefixLength: "mask" }, select });
});

it("a setting that is no text is read from its JSON text, if it is one, and is a secret if a part of it is marked as one", () => {
  const node = (token: unknown) => ({ endpoint: "https://192.0.2.10", headers: { token } });
  const written = {
    ...{
      maxRemovals: '"20%"',
      maxChanges: "20%",
      detectDrift: '"off"',
      maxEntries: "5000.0",
      readOnly: null,
      node: "{",
    },
    receivers: JSON.stringify({ r_one: { client_id: "a" } }),
    nodes: JSON.stringify({ fra1: node(secret("t")) }),
    ...{ requiredPrefixes: JSON.stringify([secret("203.0.113.0/24")]), clientId: secret("7"), endpoint: "7" },
  };
  expect(openSettings(struct(written))).toEqual({
    props: {
      ...{ maxRemovals: "20%", maxChanges: "20%", detectDrift: "off", maxEntries: 5_000, node: "{" },
      receivers: { r_one: { clientId: "a" } },
      nodes: { fra1: node("t") },
      ...{ requiredPrefixes: ["203.0.113.0/24"], clientId: "7", endpoint: "7" },
    },
    secrets: ["clientId", "nodes", "requiredPrefixes"],
  });
});
