import { Struct } from "google-protobuf/google/protobuf/struct_pb";
import { describe, expect, it } from "vitest";
import { UNKNOWN } from "../../provider/model/json";
import { detailedDiff } from "../../provider/plugin/detailed-diff";
import { close, marked, open } from "../../provider/plugin/properties";
import { resourceOf } from "../../provider/plugin/resources";
import { secret } from "./support/secrets";

const struct = (value: object) => Struct.fromJavaScript(value as never);

describe("properties on the wire", () => {
  it("are opened with the names of what is secret, and closed with the same secrets", () => {
    const given = struct({ set: "blocked", entries: { "192.0.2.0/24": { value: 1, reason: secret("why") } } });
    const opened = open(given);
    expect(opened).toEqual({
      props: { set: "blocked", entries: { "192.0.2.0/24": { value: 1, reason: "why" } } },
      secrets: ["notes"],
    });
    expect(close({ set: "blocked", notes: { a: "b" } }, opened.secrets).toJavaScript()).toEqual({
      set: "blocked",
      notes: secret({ a: "b" }),
    });
  });

  it("keep the prefixes of a list public if a note of it is secret", () => {
    const entries = ["198.51.100.7", { prefix: "192.0.2.0/24", reason: secret("why") }];
    const { props, secrets } = open(struct({ entries }));
    expect(secrets).toEqual(["notes"]);
    expect(close(props, secrets).toJavaScript()).toEqual({ entries });
  });

  it("of secret prefixes tell handlers so, and every list of prefixes goes back as a secret", () => {
    const opened = open(struct({ prefixes: secret(["198.51.100.7"]) }));
    expect(marked(opened, "started")).toMatchObject({ __secret: ["prefixes"], secretPrefixes: true });
    const outs = { prefixes: ["198.51.100.7/32"], started: ["198.51.100.7/32"], __secret: ["prefixes"] };
    expect(close(outs, opened.secrets, "started").toJavaScript()).toEqual({
      prefixes: secret(["198.51.100.7/32"]),
      started: secret(["198.51.100.7/32"]),
    });
  });

  it("keep what is unknown as it is", () => {
    expect(open(struct({ set: UNKNOWN })).props).toEqual({ set: UNKNOWN });
    // Also where only the notes of a list are secret.
    expect(open(close({ entries: UNKNOWN }, ["notes"])).props).toEqual({ entries: UNKNOWN });
  });
});

describe("a detailed diff", () => {
  it("names entries one by one, and other arguments as a whole", () => {
    const olds = { set: "a", entries: { "192.0.2.0/24": 1, "203.0.113.0/24": 1 }, maxEntries: 5 };
    const news = { set: "a", entries: { "192.0.2.0/24": 2, "198.51.100.0/24": 1 }, requiredPrefixes: ["192.0.2.0/24"] };
    expect(detailedDiff(olds, news)).toEqual([
      { path: 'entries["192.0.2.0/24"]', kind: "update" },
      { path: 'entries["203.0.113.0/24"]', kind: "delete" },
      { path: 'entries["198.51.100.0/24"]', kind: "add" },
      { path: "maxEntries", kind: "delete" },
      { path: "requiredPrefixes", kind: "add" },
    ]);
  });

  it("is empty for what hides its name, and for equal values", () => {
    expect(detailedDiff({ __secret: ["a"], set: "a" }, { set: "a" })).toEqual([]);
  });
});

describe("an id that is imported", () => {
  const local = { arena: "edge", profile: "web", set: "blocked" };
  const global = { arena: "edge", set: "blocked" };
  it.each<[string, string, string, object]>([
    ["PrefixSet", "prefixset://edge/web/blocked/", "prefixset://edge/web/blocked", { ...local, entries: {} }],
    [
      "PrefixSetEntry",
      "prefixset://edge/blocked#203.0.113.4",
      "prefixset://edge/blocked#203.0.113.4/32",
      { ...global, prefix: "203.0.113.4/32" },
    ],
    [
      "PrefixSetGroup",
      "prefixset://edge/blocked@fra1, ams1",
      "prefixset://edge/blocked",
      { ...global, entries: {}, nodes: { fra1: {}, ams1: {} } },
    ],
    [
      "CloudSignaling",
      "198.51.100.7, 2001:DB8::/48",
      "198.51.100.7/32,2001:db8::/48",
      { prefixes: ["198.51.100.7/32", "2001:db8::/48"], started: [] },
    ],
  ])(
    "of a %s is read in any spelling, and says where it is and that nothing of it is ours",
    (type, given, id, state) => {
      expect(resourceOf(`packetfilter:index:${type}`).imported(given)).toEqual({ id, state });
    },
  );

  it.each([
    ["PrefixSetGroup", "prefixset://edge/blocked", "write <url>@<node>,<node>"],
    ["PrefixSetEntry", "prefixset://edge/blocked", "write <url>#<prefix>"],
    ["PrefixSetEntry", "prefixset://edge/blocked#192.0.2.300", "write <url>#<prefix>"],
    ["CloudSignaling", "attack", "write <prefix>,<prefix>"],
    ["PrefixSet", "blocked", "write the url of a set"],
    ["PrefixSet", "arena://edge", "write the url of a set"],
  ])("of a %s in another form names the form", (type, id, message) => {
    expect(() => resourceOf(`packetfilter:index:${type}`).imported(id)).toThrow(message);
  });

  it("of a type that there is not names those that there are", () => {
    expect(() => resourceOf("packetfilter:index:PrefixSett")).toThrow("has packetfilter:index:PrefixSet,");
  });
});
