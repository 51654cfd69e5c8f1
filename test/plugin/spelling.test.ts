import { expect, it } from "vitest";
import { named, openSettings } from "../../provider/plugin/spelling";
import { struct } from "./support/fake-engine";
import { secret } from "./support/secrets";

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

it("None in a connection or in the content of an entry is no value; in place of an entry it stays, to be refused", () => {
  const [written, read] = [{ value: 1, ticket: null }, { value: 1 }];
  const entries = (content: object) => ({ "192.0.2.0/24": content, "198.51.100.0/24": null });
  expect(
    named({ entries: [{ prefix: "192.0.2.0/24", reason: null }], node: { timeout_ms: null, headers: {} } }),
  ).toEqual({
    entries: [{ prefix: "192.0.2.0/24" }],
    node: { headers: {} },
  });
  const group = (content: object) => ({ entries: entries(content), nodes: { fra1: { entries: entries(content) } } });
  expect(named(group(written))).toEqual(group(read));
});

it("so have columns of a file, and connections in the JSON text of a setting; any other text stays", () => {
  expect(named({ columns: { prefix_length: "mask" }, select: { is_new: true } })).toEqual({
    columns: { prefixLength: "mask" },
    select: { is_new: true },
  });
  const receivers = JSON.stringify({ r_one: { client_id: "a" } });
  const { props } = openSettings(struct({ receivers, node: "{", endpoint: "7", maxEntries: null }));
  expect(props).toEqual({ receivers: { r_one: { clientId: "a" } }, node: "{", endpoint: "7" });
});

it("a setting that is no text is read from its JSON text, and is a secret if a part of it is marked as one", () => {
  const texts = {
    maxRemovals: '"20%"',
    maxChanges: "20%",
    detectDrift: '"off"',
    maxEntries: "5000.0",
    readOnly: "true",
  };
  const nodes = JSON.stringify({ fra1: { endpoint: "https://192.0.2.10", headers: secret({ token: "t" }) } });
  const requiredPrefixes = JSON.stringify(["192.0.2.0/24", secret("203.0.113.0/24")]);
  expect(openSettings(struct({ ...texts, nodes, requiredPrefixes, clientId: secret("7") }))).toEqual({
    props: {
      ...{
        maxRemovals: "20%",
        maxChanges: "20%",
        detectDrift: "off",
        maxEntries: 5_000,
        readOnly: true,
        clientId: "7",
      },
      nodes: { fra1: { endpoint: "https://192.0.2.10", headers: { token: "t" } } },
      requiredPrefixes: ["192.0.2.0/24", "203.0.113.0/24"],
    },
    secrets: ["clientId", "nodes", "requiredPrefixes"],
  });
});
