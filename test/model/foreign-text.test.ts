import { generateKeyPairSync } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NOT_QUOTED, Redactor } from "../../provider/client/redact";
import { sanitize, visible, visibleJson, visibleLines } from "../../provider/model/foreign-text";
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
    expect(sanitize(`${"x".repeat(15)} canary-token`, hide, 20)).toBe(`${"x".repeat(15)} [sec…`);
    expect(sanitize(`  ${"x".repeat(90)}`, hide, 20)).toBe(`${"x".repeat(20)}…`);
  });
});

test("a private key is cut out of a text line by line, and a text with it in base64 is not quoted", () => {
  const { privateKey: key } = generateKeyPairSync("rsa", {
    modulusLength: 2_048,
    privateKeyEncoding: { type: "pkcs8", format: "pem" },
    publicKeyEncoding: { type: "spki", format: "pem" },
  });
  const mail = Buffer.from(key).toString("base64").replace(/.{76}/g, "$&\r\n");
  const redactor = new Redactor([key]);
  const lines = key.trim().split("\n").length - 2;
  expect(redactor.foreign(`before: ${key}: after`)).toBe(
    `before: -----BEGIN PRIVATE KEY-----\n${"[secret]\n".repeat(lines)}-----END PRIVATE KEY-----\n: after`,
  );
  for (const text of [mail, mail.slice(60, 100), encodeURIComponent(key)])
    expect(redactor.foreign(`before: ${text} :after`)).toBe(NOT_QUOTED);
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
  /** The text as it may be quoted; `undefined` if it may not. */
  const quoted = (text: string) => {
    const left = matcher.cut(text, "***");
    return matcher.mayBeIn(left) ? undefined : left;
  };

  test.each([
    ["as it is", SECRET],
    ["in other case", SECRET.toUpperCase()],
    ["in a url", encodeURIComponent(SECRET)],
    ["in a form", encodeURIComponent(SECRET).replaceAll("%20", "+")],
    ["in JSON", JSON.stringify(SECRET).slice(1, -1)],
    ["read as ISO 8859-1", Buffer.from(SECRET).toString("latin1")],
    ["in base64", Buffer.from(SECRET).toString("base64")],
    ["in base64url", Buffer.from(SECRET).toString("base64url")],
    ["in hexadecimal numbers", Buffer.from(SECRET).toString("hex")],
    ["in base64 of what a url writes", Buffer.from(encodeURIComponent(SECRET)).toString("base64")],
  ])("is cut out %s, and all around it stays", (_, form) => {
    expect(quoted(`you sent <${form}>, and "${form}".`)).toBe('you sent <***>, and "***".');
  });

  test("in any mixture of encodings keeps a text from being quoted", () => {
    const spelled = fc
      .array(fc.nat(WAYS.length - 1), { minLength: [...SECRET].length, maxLength: [...SECRET].length })
      .map((ways) => [...SECRET].map((sign, place) => WAYS[ways[place] ?? 0]?.(sign)).join(""));
    fc.assert(
      fc.property(spelled, fc.nat(3), (spelling, layers) => {
        let text = `<${spelling}>`;
        for (let layer = 1; layer < layers; layer++) text = JSON.stringify(text).slice(1, -1);
        expect([undefined, "you sent <***>."]).toContain(quoted(`you sent ${text}.`));
      }),
    );
  });

  const base64 = (text: string) => Buffer.from(text).toString("base64");
  test.each([
    ["in four layers", [1, 2, 3, 4].reduce((inner) => encodeURIComponent(inner), SECRET)],
    ["in base64 that begins before it", base64(`u${SECRET}`)],
    ["in base64url that begins before it", Buffer.from(`user:${SECRET}`).toString("base64url")],
    ["in base64 in lines", base64(SECRET).replace(/.{19}/g, "$&\r\n")],
    ["in base64 of base64", base64(base64(SECRET))],
    ["in hexadecimal numbers, among others", Buffer.from(`user ${SECRET.slice(0, 7)}`).toString("hex")],
    ["by number without a semicolon", [...SECRET].map((sign) => `&#${sign.codePointAt(0)}`).join("")],
    ["in bytes that could not be read", Buffer.from(SECRET, "latin1").toString("utf8")],
    ["without its end", SECRET.slice(0, 9)],
    ["without its beginning", SECRET.slice(-9)],
    ["without both", SECRET.slice(4, 13)],
    ["with a sign of omission", `${SECRET.slice(0, 4)}…`],
    ["with dots", `${SECRET.slice(0, 6)}...`],
    ["with stars", `${SECRET.slice(0, 5)}****`],
    ["in base64 without its end", base64(SECRET).slice(0, 8)],
    ["in a url, cut by a reader", `${encodeURIComponent(SECRET).slice(0, 11)}…`],
  ])("%s keeps a text from being quoted", (_, form) => {
    expect(quoted(`you sent <${form}>.`)).toBeUndefined();
  });

  test("keeps nothing from being quoted that nodes usually say", () => {
    for (const text of [
      "set prefixset://edge/blocked is locked by admin@fra1 since 2026-01-02T03:04:05.678Z, 50% done...",
      'no such profile "CustomerPortal2024Frankfurt" in arena edge',
      '{"error":"exists: 192.0.2.0\\/24","request":"5d9c1a1e-0d9f-4d3a-9a55-0242ac120002"}',
      "fe80::1%eth0 and 2001:db8:1234:5678:9abc:def0:1234:5678 are refused",
      "connect ECONNREFUSED 192.0.2.1:8080 (firewall-management-interface-03.example.net)",
    ])
      expect(quoted(text)).toBe(text);
    expect(new SecretMatcher([], 4).mayBeIn(`%41 &amp; \\u0041 ${base64("a text in base64")}`)).toBe(false);
  });

  test("that is itself written as in a url is found as it is there", () => {
    expect(new SecretMatcher(["a%2Fb c"], 4).cut("a/b c, a%2Fb c, a%252Fb%20c", "***")).toBe("***, ***, ***");
  });

  test("that is short is cut out only where it stands alone", () => {
    expect(new SecretMatcher(["abc"], 4).cut("abcd abc xabc", "***")).toBe("abcd *** xabc");
  });

  test("is found in a text of any length, and a piece of it at any place", () => {
    const far = "x y ".repeat(200_000);
    expect(matcher.cut(`${far}${SECRET}${far}`, "***")).toBe(`${far}***${far}`);
    expect(matcher.mayBeIn(`${far}${SECRET.slice(0, 8)}${far}`)).toBe(true);
    const plain = new SecretMatcher(["correct.horse.battery"], 4);
    for (let at = 0; at < 6; at++) {
      const found = [7, 8].map((length) =>
        plain.mayBeIn(`${"x".repeat(at)}${"ect.horse.batt".slice(at, at + length)}`),
      );
      expect(found).toEqual([false, true]);
    }
  });
});
