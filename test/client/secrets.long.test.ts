import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { NodeClient, Prefix, SignalingClient } from "../../provider/client";
import { Redactor } from "../../provider/client/redact";
import { type Arrived, failureOf, reply, reset, SET, script, serve, TestWorld, truncated } from "./support";

const TOKEN = "canary-t0ken+/='&%<>\\";
const PASSWORD = "canary p4ss/w%rd";
const SECRET = "canary k3y/ü?&<'\"";

/** Everything of an error that a program, a log or a crash report may show. */
function everything(error: unknown): string {
  const parts: string[] = [];
  for (let at = error; at instanceof Error; at = at.cause) {
    parts.push(
      at.name,
      at.message,
      at.stack ?? "",
      String(at),
      JSON.stringify(at),
      inspect(at, { depth: 9, showHidden: true }),
    );
  }
  return parts.join("\n");
}

/** Ways in which another side echoes what it was sent: some of those that `test/model/foreign-text.test.ts` proves to be found. */
const echoes: Record<string, (text: string) => string> = {
  raw: (text) => text,
  "percent-encoded": encodeURIComponent,
  json: (text) => JSON.stringify(text),
  "html by number": (text) => text.replace(/\W/gu, (c) => `&#${c.codePointAt(0)};`),
  "base64 in lines": (text) => Buffer.from(text).toString("base64").replace(/.{19}/g, "$&\r\n"),
  "without its end": (text) => text.slice(0, text.includes("Bearer") ? 16 : 9),
};

describe.each(Object.entries(echoes))("an echo of secrets, %s", (_name, echo) => {
  const told = ({ path }: Arrived) => {
    const secrets = path === "/fapi" ? [TOKEN, `Bearer ${TOKEN}`, PASSWORD] : [SECRET, PASSWORD];
    return `you sent ${secrets.map(echo).join(" and ")}`;
  };
  const answers: Record<string, (told: string) => ReturnType<typeof reply>> = {
    "an error text": (told) => reply(400, told),
    "a JSON error": (told) => reply(500, { error: { message: told } }),
    "an error with status 200": (told) => reply(200, { success: false, message: told }),
    "a page": (told) => reply(502, `<title>${told}</title>`),
    "no JSON": (told) => reply(200, told),
    "a long text": (told) => reply(400, `${"x".repeat(270)} ${told}`),
    "an unknown shape": (told) => reply(200, [{ [told]: told }]),
    "an unknown prefix": (told) => reply(200, { data: [{ p: told }], IP_prefix: [told] }),
    "a member of an unknown name": (told) => reply(400, { [`x ${told}`]: 1 }),
    "a page's heading": (told) => reply(502, `<h1>${told}</h1>`),
    "a redirect": (told) => reply(301, "", { location: `http://192.0.2.1/${encodeURIComponent(told)}` }),
    "a broken header": (told) => (_request, response) => {
      response.socket?.end(`HTTP/1.1 200 OK\r\nX Y ${encodeURIComponent(told)}\r\n\r\n`);
    },
    "a reset": () => reset,
    "a cut answer": () => truncated,
  };

  it.each(Object.entries(answers))("in %s is cut out", async (_kind, answer) => {
    await using server = await serve((request, ...rest) => answer(told(request))(request, ...rest));
    const userinfo = `${encodeURIComponent("canary-user")}:${encodeURIComponent(PASSWORD)}`;
    const endpoint = server.url.replace("//", `//${userinfo}@`);
    const node = new NodeClient({ endpoint, headers: { "X-Token": `Bearer ${TOKEN}` } }, new TestWorld());
    const receiver = new SignalingClient({ url: endpoint, clientId: "c1", secretKey: SECRET }, new TestWorld());
    const prefixes = [Prefix.parse("192.0.2.1")];
    // A mutation takes text without an error marker for a success, so some of these do not fail.
    const operations = [
      node.listPrefixSet(SET),
      node.listMarks("edge", "web", "conn"),
      node.listRules("edge", "web"),
      node.insert(SET, [["192.0.2.0/24", 1]]),
      node.commit(SET),
      receiver.status(),
      receiver.start(prefixes),
      receiver.ensureActive(prefixes),
    ];
    const results = await Promise.allSettled(operations);
    const failures = results.flatMap((result) => (result.status === "rejected" ? [everything(result.reason)] : []));
    expect(failures.length).toBeGreaterThanOrEqual(4);
    for (const text of failures) {
      expect(text).toMatch(/failed|incomplete/);
      // "canary" begins each secret: none of it may be left, in whatever form.
      expect(text).not.toMatch(/canar|t0ken|p4ss|k3y/i);
      for (const secret of [TOKEN, PASSWORD, SECRET]) expect(text).not.toContain(echo(secret));
    }
    await Promise.all([node.close(), receiver.close()]);
  });
});

it("the credentials themselves are sent as they are", async () => {
  await using server = await serve(reply(200, []));
  const endpoint = server.url.replace("//", "//user:p%40ss@");
  const client = new NodeClient({ endpoint, headers: { "X-Token": TOKEN } }, new TestWorld());
  await client.listPrefixSet(SET);
  expect(server.arrived[0]?.headers).toMatchObject({
    authorization: `Basic ${Buffer.from("user:p@ss").toString("base64")}`,
    "x-token": TOKEN,
    "content-type": "application/json",
  });
  await client.close();
});

it("a cut of a long text leaves no half of a secret", async () => {
  await using server = await serve(reply(400, `${"x".repeat(294)}${TOKEN}`));
  const client = server.node({ headers: { "X-Token": TOKEN } });
  expect(everything(await failureOf(client.commit(SET)))).not.toContain("canar");
});

it("a cause keeps its name, code and place, and nothing else of the library's error", async () => {
  await using server = await serve(script(reset));
  const client = server.node();
  const { cause } = await failureOf(client.commit(SET));
  expect(cause).toBeInstanceOf(Error);
  expect(Object.keys(cause as Error)).toEqual(["code"]);
});

describe("Redactor", () => {
  it("cuts the longest secret first and leaves other text alone", () => {
    const redactor = new Redactor(["token", "token-longer", undefined, ""]);
    expect(redactor.text("a token-longer and a token.")).toBe("a [secret] and a [secret].");
  });

  it("cuts the credential of an authorization header, and the password in it", () => {
    const redactor = new Redactor([`Basic ${Buffer.from("user:p4ssw0rd").toString("base64")}`, "Bearer abcdef"]);
    expect(redactor.text("p4ssw0rd, abcdef")).toBe("[secret], [secret]");
  });

  it("takes texts that have no percent-encoding", () => {
    expect(new Redactor(["lone\ud800surrogate"]).text("x lone\ud800surrogate")).toBe("x [secret]");
  });
});
