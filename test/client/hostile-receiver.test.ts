import { expect, it } from "vitest";
import { Prefix, SignalingClient } from "../../provider/client";
import { failureOf, reply, serve, TestWorld } from "./support";

const OWN = Prefix.parse("192.0.2.1");
const FOREIGN = ["198.51.100.0/24", "0.0.0.0/0", "2001:db8::/32"];
type Answer = Parameters<typeof serve>[0];

const SECRET = "canary+/=k3y";
const ACTING = "\u001b[2J\u009b31m\u202e\u0007";
const SEEN = /[\p{Cc}\p{Cf}]|canary|k3y|Y2FuYXJ5/u;

async function hostile(answer: Answer) {
  const server = await serve(answer);
  const options = { url: server.url, clientId: "c1", secretKey: SECRET };
  const client = new SignalingClient(options, Object.assign(new TestWorld(), { maxTries: 1 }));
  return {
    client,
    server,
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

const ANSWERS: Record<string, [answer: Answer, says: RegExp]> = {
  "more than can be held": [
    (_, response) => void response.writeHead(200, { "content-length": String(2 ** 27 + 1) }).write("["),
    /the answer is larger than 134217728 bytes/,
  ],
  "lists in lists without end": [
    reply(200, `{"IP_prefix":${"[".repeat(200_000)}${"]".repeat(200_000)}}`),
    /lists an array instead of a prefix/,
  ],
  "objects in objects without end": [reply(200, `${'{"a":'.repeat(200_000)}1${"}".repeat(200_000)}`), /answer/],
  "numbers, objects and nothing in place of prefixes": [
    reply(200, { IP_prefix: [1, {}, null] }),
    /the number 1 instead of a prefix/,
  ],
  "a prefix that acts on a screen": [reply(200, { IP_prefix: [`${ACTING}${SECRET}`] }), /the answer is not quoted/],
  "an error that acts on a screen and has the secret": [
    reply(400, `${ACTING}${SECRET} ${encodeURIComponent(SECRET)} ${Buffer.from(SECRET).toString("base64")}`),
    /HTTP 400/,
  ],
  "names that objects have of themselves": [
    reply(200, '{"__proto__":{"IP_prefix":["192.0.2.1"]},"constructor":1}'),
    /a member is named "__proto__"/,
  ],
};

it.each(Object.entries(ANSWERS))(
  "a receiver that answers %s fails the request with a sentence",
  async (_, [answer, says]) => {
    await using peer = await hostile(answer);
    const { message } = await failureOf(peer.client.status());
    expect(message).toMatch(says);
    expect(message).not.toMatch(SEEN);
    expect(message.length).toBeLessThan(2_000);
  },
);

it("a receiver that lists prefixes of others makes nothing of them start or stop", async () => {
  await using peer = await hostile((request, response, count) =>
    reply(200, request.path.endsWith("status") ? { IP_prefix: [String(OWN), ...FOREIGN] } : "ok")(
      request,
      response,
      count,
    ),
  );
  await peer.client.ensureActive([OWN]).catch(() => undefined);
  await peer.client.ensureInactive([OWN]).catch(() => undefined);
  const bodies = peer.server.arrived.map(({ body }) => body).join("\n");
  expect(bodies).toContain("192.0.2.1");
  for (const prefix of FOREIGN) expect(bodies).not.toContain(prefix.split("/")[0]);
});
