import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, it } from "vitest";
import { NodeClient, type NodeOptions } from "../../provider/client";
import { CertificateAuthority } from "../../provider/emulator/http/certificates";
import { failureOf, reply, SET, serve, TestWorld } from "./support";

const authority = new CertificateAuthority("test authority", Date.now());
const client = authority.issueClient("operator.example");
const seen: string[] = [];

const server = createServer(
  { ...authority.issueServer("node.example"), ca: authority.cert, requestCert: true, rejectUnauthorized: false },
  (request, response) => {
    const socket = request.socket as TLSSocket;
    seen.push(socket.authorized ? String(socket.getPeerCertificate().subject.CN) : "no certificate");
    response.writeHead(socket.authorized ? 200 : 403).end("[]");
  },
);

beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)));
afterAll(() => void server.close());

const options = (tls?: NodeOptions["tls"]): NodeOptions => ({
  endpoint: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
  tls,
});

it("own authority, server name and client certificate are used", async () => {
  const node = new NodeClient(options({ ca: authority.cert, serverName: "node.example", ...client }));
  expect(await node.listPrefixSet(SET)).toEqual([]);
  expect(seen.pop()).toBe("operator.example");
  await node.close();
});

it("without a client certificate the node says no", async () => {
  const node = new NodeClient(options({ ca: authority.cert, serverName: "node.example" }));
  expect(await failureOf(node.listPrefixSet(SET))).toMatchObject({ outcome: "refused", status: 403 });
  expect(seen.pop()).toBe("no certificate");
  await node.close();
});

it.each([
  ["an unknown authority", {}, /unable to verify|self.signed/],
  ["a certificate for another host", { ca: authority.cert }, /does not match|altnames/i],
  ["a key that is none", { ca: authority.cert, cert: client.cert, key: "canary-no-pem" }, /./],
])("with %s nothing is sent", async (_name, tls, message) => {
  const node = new NodeClient(options(tls), new TestWorld());
  const error = await failureOf(node.listPrefixSet(SET));
  expect(error).toMatchObject({ outcome: "not-sent" });
  expect(error.message).toMatch(message);
  expect(`${error.stack}${(error.cause as Error).stack}`).not.toContain("canary");
  expect(seen).toEqual([]);
  await node.close();
});

it("https at an http port, or the reverse, names the node and the remedy", async () => {
  const plain = await serve(reply(200, "[]"));
  const endpoint = plain.url.replace("http:", "https:");
  const wrong = new NodeClient({ endpoint }, new TestWorld(), "fra1");
  expect(await failureOf(wrong.listPrefixSet(SET))).toMatchObject({
    outcome: "not-sent",
    tries: 1,
    message: `Set prefixset://edge/blocked on fra1 (${plain.host}): list failed (no connection): this port does not speak https: write http:// in the url, or the port that speaks https.`,
  });
  const { endpoint: secured } = options();
  const other = new NodeClient({ endpoint: secured.replace("https:", "http:") }, new TestWorld());
  const error = await failureOf(other.listPrefixSet(SET));
  expect(error.message).toMatch(/closed the connection without an answer: if this port speaks https, write https:\/\//);
  await Promise.all([wrong.close(), other.close(), plain[Symbol.asyncDispose]()]);
});
