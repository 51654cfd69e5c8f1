import { generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Redactor } from "../../provider/client/redact";
import { told, visible, visibleJson, visibleLines } from "../../provider/model/foreign-text";
import { SecretMatcher } from "../../provider/model/secret-matcher";

/** Characters on which a screen, a speaker or a reader acts: ESC, BEL, OSC 8, a C1 introducer, bidi, what has no width. */
const ACTING =
  "\u001b[2J \u0007 \u001b]8;;https://192.0.2.1\u001b\\ \u009b31m \u202e \u2066 \u200b \u00ad \u{e0041} \ud800";

describe("foreign text", () => {
  test("is on one line and acts on nothing", () => {
    expect(visible(`a\r\n\tb\u2028c ${ACTING}`)).toBe(
      "a b c \\u{1b}[2J \\u{7} \\u{1b}]8;;https://192.0.2.1\\u{1b}\\ \\u{9b}31m \\u{202e} \\u{2066} \\u{200b} \\u{ad} \\u{e0041} \\u{d800}",
    );
  });

  test("of several lines keeps these and its indents", () => {
    expect(visibleLines("a\n\tb\r\n  \u001b[2J")).toBe("a\n\tb\\u{d}\n  \\u{1b}[2J");
  });

  test("as JSON says the same, and acts on nothing", () => {
    const json = visibleJson(JSON.stringify({ name: ACTING }));
    expect(JSON.parse(json)).toEqual({ name: ACTING });
    expect(json).toMatch(/^[ -~]+$/);
  });

  test("is no command to the runner of a CI job, wherever it stands, and an address stays as it is", () => {
    const commands = ["::stop-commands::x", "  ::add-mask::x", "a ##[error]b", "a ##vso[task.complete]", "::a-b"];
    const shown = [
      "\\u{3a}:stop-commands::x",
      " \\u{3a}:add-mask::x",
      "a #\\u{23}[error]b",
      "a #\\u{23}vso[task.complete]",
    ];
    expect(commands.map(visible)).toEqual([...shown, "\\u{3a}:a-b"]);
    expect(visibleLines("a\n::set-env name=b::c\n\t::x-y::")).toBe("a\n\\u{3a}:set-env name=b::c\n\t\\u{3a}:x-y::");
    for (const same of ["::/0", "::ffff:0:0/96 1", "2001:db8::/32", "a::b::c", "## [x]"])
      expect(visible(same)).toBe(same);
    const json = visibleJson(JSON.stringify({ table: "##[error]##vso[x]" }));
    expect(json).not.toMatch(/##(\[|vso)/);
    expect(JSON.parse(json)).toEqual({ table: "##[error]##vso[x]" });
  });

  test("loses its secrets before it is cut, so that no half of one stays", () => {
    const hide = (text: string) => new SecretMatcher(["canary-token"], 4).cut(text, "[secret]");
    expect(told(`${"x".repeat(15)} canary-token`, hide, 20)).toBe(`${"x".repeat(15)} [sec…`);
    expect(told(`  ${"x".repeat(90)}`, hide, 20)).toBe(`${"x".repeat(20)}…`);
  });
});

test.each([
  ["base64 of the text as a url writes it", Buffer.from(encodeURIComponent("canary +/ token")).toString("base64")],
  ["base64 in lines", Buffer.from("canary +/ token").toString("base64").replace(/.{5}/g, "$&\r\n")],
  ["numbers without a semicolon", [..."canary +/ token"].map((sign) => `&#${sign.charCodeAt(0)}`).join("")],
  [
    "hexadecimal ones without a semicolon",
    [..."canary +/ token"].map((sign) => `&#x${sign.charCodeAt(0).toString(16)}`).join(""),
  ],
])("a secret is found in %s", (_, text) => {
  const shown = new SecretMatcher(["canary +/ token"], 4).cut(`before: ${text} :after`, "[secret]");
  expect(shown).toMatch(/^before: \[secret\]\S*\s*:after$/);
});

test("a private key is cut out of a text, as it is and in base64 in lines, with all that surrounds it left", () => {
  const { privateKey: key } = generateKeyPairSync("rsa", {
    modulusLength: 2_048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const mail = Buffer.from(key).toString("base64").replace(/.{76}/g, "$&\r\n");
  const redactor = new Redactor([key]);
  expect(redactor.text(`before: ${key}: between: ${mail} :after`)).toBe("before: [secret]: between: [secret] :after");
});

/** Ways in which one character is written. */
const WAYS: readonly ((sign: string) => string)[] = [
  // What escapes one sign escapes itself.
  (sign) => (sign === "\\" ? "\\\\" : sign),
  (sign) => [...Buffer.from(sign)].map((byte) => `%${byte.toString(16).padStart(2, "0")}`).join(""),
  (sign) => [...Buffer.from(sign)].map((byte) => `%25${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  (sign) => `&#${sign.codePointAt(0)};`,
  (sign) => `&#x${sign.codePointAt(0)?.toString(16)};`,
  (sign) => `&amp;#x${sign.codePointAt(0)?.toString(16).toUpperCase()};`,
  (sign) => sign.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  (sign) => [...Buffer.from(sign)].map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`).join(""),
  (sign) => (/["'/\\]/.test(sign) ? `\\${sign}` : sign),
  (sign) => NAMED[sign] ?? sign,
];

const NAMED: Readonly<Record<string, string>> = {
  "+": "&plus;",
  "/": "&sol;",
  "=": "&equals;",
  "'": "&apos;",
  '"': "&quot;",
  "&": "&amp;",
  "%": "&percnt;",
  "<": "&lt;",
  ">": "&gt;",
  "\\": "&bsol;",
  ü: "&uuml;",
  " ": "&#32;",
};

describe("a secret", () => {
  const SECRET = "c+a/n=a'r\"y&1%2<3>4\\5 ü6🔑z";
  const matcher = new SecretMatcher([SECRET], 4);

  test("is found in every mixture of encodings, and nothing around it is lost", () => {
    const spelled = fc
      .array(fc.nat(WAYS.length - 1), { minLength: [...SECRET].length, maxLength: [...SECRET].length })
      .map((ways) => [...SECRET].map((sign, place) => WAYS[ways[place] ?? 0]?.(sign)).join(""));
    fc.assert(
      fc.property(spelled, fc.nat(3), (spelling, layers) => {
        let text = `<${spelling}>`;
        // As JSON a spelling with a bare backslash means something else.
        for (let layer = 1; !spelling.includes("\\") && layer < layers; layer++)
          text = JSON.stringify(text).slice(1, -1);
        expect(matcher.cut(`you sent ${text}.`, "***")).toBe("you sent <***>.");
      }),
    );
  });

  test("is found in four layers of one encoding", () => {
    const text = [1, 2, 3, 4].reduce((inner) => encodeURIComponent(inner), SECRET);
    expect(matcher.cut(text, "***")).toBe("***");
  });

  test("with a backslash is found where that escapes nothing", () => {
    for (const text of [
      SECRET.replace("5", "\\u0035"),
      SECRET.replace("5", "&#53;"),
      SECRET.replace(/[&<>"'/]/g, (c) => NAMED[c] ?? c),
    ])
      expect(matcher.cut(text, "***")).toBe("***");
  });

  test.each(["base64", "base64url"] as const)("is found in %s, wherever its bytes begin", (encoding) => {
    for (const before of ["", "u", "us", "user:"]) {
      const text = Buffer.from(`${before}${SECRET}`).toString(encoding);
      const left = matcher.cut(`credential ${text}, again ${encodeURIComponent(text)}`, "***");
      const kept = Buffer.from(before)
        .toString(encoding)
        .replace(/=+$/, "")
        .slice(0, Math.floor((before.length * 8) / 6));
      expect(left).toBe(`credential ${kept}***, again ${kept}***`);
    }
  });

  test("that itself looks encoded is found", () => {
    const encoded = new SecretMatcher(["a%2Fb\\u0041&amp;c"], 4);
    const secret = "a%2Fb\\u0041&amp;c";
    for (const text of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1), "a/bA&c"]) {
      expect(encoded.cut(text, "***")).toBe("***");
    }
  });

  test("is found where bytes of it could not be read", () => {
    const text = Buffer.from("k3y-ü-canary", "latin1").toString("utf8");
    expect(new SecretMatcher(["k3y-ü-canary"], 4).cut(text, "***")).toBe("***");
  });

  test.each([
    [`the member "c+a/n=a'…" and more`, `the member "***…" and more`],
    ["you sent c%2Ba%2Fn%3Da%2…", "you sent ***…"],
    ["you sent Yythl…, and YythL249YSdy…", "you sent ***…, and ***…"],
    ["cut in the midst of words c+a…", "cut in the midst of words c+a…"],
  ])("that a reader has cut is found: %s", (text, left) => {
    expect(matcher.cut(text, "***")).toBe(left);
  });

  test("that is short is found only where it stands alone", () => {
    expect(new SecretMatcher(["abc"], 4).cut("abcd abc %61bc xabc", "***")).toBe("abcd *** *** xabc");
  });

  test("is found across a text of any length, in a time that grows with it alone", () => {
    const far = `${"%25".repeat(200_000)} ${encodeURIComponent(SECRET)} ${"&amp;".repeat(200_000)}`;
    expect(matcher.cut(far, "***")).toBe(`${"%25".repeat(200_000)} *** ${"&amp;".repeat(200_000)}`);
  });
});
