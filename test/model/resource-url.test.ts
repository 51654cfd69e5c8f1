import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatUrl, nameProblem, parseUrl, type ResourceUrl } from "../../provider/model/resource-url";

describe("the five shapes", () => {
  const shapes: [text: string, url: ResourceUrl][] = [
    ["arena://edge", { kind: "arena", arena: "edge" }],
    ["profile://edge/web", { kind: "profile", arena: "edge", profile: "web" }],
    ["prefixset://edge/blocked", { kind: "prefixset", arena: "edge", set: "blocked" }],
    ["prefixset://edge/web/blocked", { kind: "prefixset", arena: "edge", profile: "web", set: "blocked" }],
    ["mark://edge/web", { kind: "mark", arena: "edge", profile: "web" }],
  ];

  test.each(shapes)("%s is read and written", (text, url) => {
    expect(parseUrl(text)).toEqual(url);
    expect(formatUrl(url)).toBe(text);
  });

  test.each(shapes)("%s may end with one slash, and is written without it", (text, url) => {
    expect(parseUrl(`${text}/`)).toEqual(url);
    expect(() => parseUrl(`${text}//`)).toThrow("is not a resource address");
  });

  test("come back as they were for every name that is allowed", () => {
    const name = fc
      .oneof(fc.string({ minLength: 1, maxLength: 20 }), fc.string({ minLength: 1, unit: "grapheme", maxLength: 20 }))
      .filter((text) => nameProblem(text) === undefined);
    const url: fc.Arbitrary<ResourceUrl> = fc.oneof(
      fc.record({ kind: fc.constant("arena" as const), arena: name }),
      fc.record({ kind: fc.constant("profile" as const), arena: name, profile: name }),
      fc.record({ kind: fc.constant("prefixset" as const), arena: name, set: name }),
      fc.record({ kind: fc.constant("prefixset" as const), arena: name, profile: name, set: name }),
      fc.record({ kind: fc.constant("mark" as const), arena: name, profile: name }),
    );
    fc.assert(
      fc.property(url, (one) => {
        expect(parseUrl(formatUrl(one))).toEqual(one);
      }),
      { numRuns: 1_000 },
    );
  });
});

test.each([
  "",
  "edge/blocked",
  "set://edge/blocked",
  "PREFIXSET://edge/blocked",
  "prefixset:/edge/blocked",
  "prefixset:edge/blocked",
  " prefixset://edge/blocked",
  "prefixset://edge/blocked\n",
  "prefixset://",
  "prefixset:///",
  "prefixset://edge",
  "prefixset://edge/",
  "prefixset:///blocked",
  "prefixset://edge//blocked",
  "prefixset://edge/web/blocked/more",
  "prefixset://edge/black list",
  "prefixset://edge/blocked?x=1",
  "prefixset://edge/blocked#1",
  "prefixset://edge/blocked”",
  'prefixset://edge/blocked"',
  "prefixset://edge/block\\ed",
  "arena://edge/web",
  "arena:///edge",
  "profile://edge",
  "profile://edge/web/blocked",
  "mark://edge",
  "mark://edge/web/shost",
])("%j is refused, with the shapes that exist", (text) => {
  expect(() => parseUrl(text)).toThrow(
    new TypeError(
      `${JSON.stringify(text)} is not a resource address: write arena://ARENA, profile://ARENA/PROFILE, ` +
        "prefixset://ARENA/SET, prefixset://ARENA/PROFILE/SET or mark://ARENA/PROFILE.",
    ),
  );
});

describe("a name", () => {
  test.each(["edge", "EDGE", "edge-1", "edge_1", "edge.1", "edge:1", "1", "край", "a".repeat(255)])(
    "%s is allowed",
    (name) => {
      expect(nameProblem(name)).toBeUndefined();
    },
  );

  test.each([
    ["", "is empty"],
    ["a".repeat(256), "is longer than 255 characters"],
    ["a/b", 'contains "/", which separates or ends parts of a resource address'],
    ["a b", 'contains " ", which separates or ends parts of a resource address'],
    ["a\tb", 'contains "\\t", which separates or ends parts of a resource address'],
    ["a\u00a0b", 'contains "\u00a0", which separates or ends parts of a resource address'],
    ["a#b", 'contains "#", which separates or ends parts of a resource address'],
    ["a?b", 'contains "?", which separates or ends parts of a resource address'],
    ["blocked”", 'contains "”", which separates or ends parts of a resource address'],
    ["a\u0000b", 'contains "\\u0000", which separates or ends parts of a resource address'],
    ["a\u007fb", 'contains "\u007f", which separates or ends parts of a resource address'],
  ])("%j is refused with the reason", (name, problem) => {
    expect(nameProblem(name)).toBe(problem);
  });
});
