import { expect, it } from "vitest";
import { named, namedSettings } from "../../provider/plugin/spelling";

it("members of a connection have the names of the package, however Python's SDK passed them", () => {
  const headers = { x_own: "kept" };
  const node = { endpoint: "https://192.0.2.10", timeout_ms: 9, headers, tls: { server_name: "a.example" } };
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
});

it("so have columns of a file, and connections in the JSON text of a setting; any other text stays", () => {
  expect(named({ columns: { prefix_length: "mask" }, select: { is_new: true } })).toEqual({
    columns: { prefixLength: "mask" },
    select: { is_new: true },
  });
  const receivers = JSON.stringify({ r_one: { client_id: "a" } });
  expect(namedSettings({ receivers, node: "{", endpoint: "7" })).toEqual({
    receivers: JSON.stringify({ r_one: { clientId: "a" } }),
    node: "{",
    endpoint: "7",
  });
});
