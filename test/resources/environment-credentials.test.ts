import { describe, expect, it } from "vitest";
import { readSettings } from "../../provider/settings/settings";
import { run } from "../commands/support";

const HEADERS = '{"authorization":"Bearer from-environment"}';
const OWN = { PACKETFILTER_ENDPOINT: "https://node.example.net", PACKETFILTER_HEADERS: HEADERS };
const RECEIVER = {
  PACKETFILTER_SIGNALING_URL: "https://receiver.example.net/path",
  PACKETFILTER_CLIENT_ID: "client-a",
  PACKETFILTER_SECRET_KEY: "secret-a",
};

const node = (config: Record<string, unknown>, env: Record<string, string>) =>
  readSettings((key) => config[key], env).node(undefined).options;
const receiver = (config: Record<string, unknown>, env: Record<string, string>) =>
  readSettings((key) => config[key], env).receiver(undefined).options;

describe("credentials of the environment", () => {
  it("go to the address that the environment names, and to no other that the configuration names", () => {
    const headers = { authorization: "Bearer from-environment" };
    expect(node({}, OWN)).toEqual({ endpoint: "https://node.example.net", headers });
    expect(() => node({ endpoint: "https://other.example.org" }, OWN)).toThrow(
      "PACKETFILTER_HEADERS would go to https://other.example.org, which packetfilter:endpoint names, but the environment names https://node.example.net (PACKETFILTER_ENDPOINT): nothing was sent.",
    );
    expect(receiver({}, RECEIVER)).toMatchObject({ clientId: "client-a", secretKey: "secret-a" });
    expect(() => receiver({ signalingUrl: "https://other.example.org/path" }, RECEIVER)).toThrow(
      "PACKETFILTER_CLIENT_ID and PACKETFILTER_SECRET_KEY would go to https://other.example.org/path, which packetfilter:signalingUrl names, but the environment names https://receiver.example.net/path (PACKETFILTER_SIGNALING_URL): nothing was sent.",
    );
    expect(() => receiver({ signalingUrl: "https://other.example.org/path", clientId: "c" }, RECEIVER)).toThrow(
      /^PACKETFILTER_SECRET_KEY would go to https:\/\/other\.example\.org\/path,/,
    );
  });

  it.each(["https://node.example.net/", "https://node.example.net/fapi", "https://NODE.example.net:443/fapi/"])(
    "take %s for the same address",
    (endpoint) => {
      expect(node({ endpoint }, OWN).endpoint).toBe(endpoint);
    },
  );

  it.each([
    "http://node.example.net",
    "https://node.example.net:8443",
    "https://node.example.net/other",
    "https://node.example.net.example.org",
  ])("take %s for another one", (endpoint) => {
    expect(() => node({ endpoint }, OWN)).toThrow("PACKETFILTER_HEADERS would go to");
  });

  it("go to the configured address where the environment names none", () => {
    const config = { endpoint: "https://node.example.org", signalingUrl: "https://receiver.example.org/path" };
    expect(node(config, { PACKETFILTER_HEADERS: HEADERS }).endpoint).toBe("https://node.example.org");
    const { PACKETFILTER_SIGNALING_URL: _, ...credentials } = RECEIVER;
    expect(receiver(config, credentials)).toMatchObject({ secretKey: "secret-a" });
  });

  it("stay out of a configured address that has credentials of its own", () => {
    const endpoint = "https://other.example.org";
    expect(node({ endpoint, headers: "{}" }, OWN)).toEqual({ endpoint, headers: {} });
    const url = "https://other.example.org/path";
    const config = { signalingUrl: url, clientId: "c", secretKey: "s" };
    expect(receiver(config, RECEIVER)).toEqual({ url, clientId: "c", secretKey: "s" });
    expect(node({ endpoint }, { PACKETFILTER_ENDPOINT: "https://node.example.net" })).toEqual({ endpoint });
  });

  it.each([
    ["node.example.net", "https://node.example.net"],
    ["NODE.example.net", "https://node.example.net:8443/path"],
    ["a.example.net, node.example.net:8443", "https://node.example.net:8443"],
    ["node.example.net:443", "https://node.example.net"],
    ["*.example.net", "https://a.b.example.net"],
    ["http://192.0.2.10:8080", "http://192.0.2.10:8080"],
    ["HTTP://*.example.net, https://node.example.net:8443", "https://node.example.net:8443"],
    ["2001:db8::1", "https://[2001:db8:0::1]:8443"],
    ["[2001:db8::1]:8443", "https://[2001:db8::1]:8443"],
  ])("may go to %s: %s", (hosts, endpoint) => {
    const env = { PACKETFILTER_HEADERS: HEADERS, PACKETFILTER_CREDENTIAL_HOSTS: hosts };
    expect(node({ endpoint }, env).endpoint).toBe(endpoint);
    expect(node({}, { ...env, PACKETFILTER_ENDPOINT: endpoint }).endpoint).toBe(endpoint);
  });

  it.each([
    ["node.example.net", "https://node.example.org"],
    ["node.example.net:8443", "https://node.example.net"],
    ["*.example.net", "https://example.net"],
    ["*.example.net", "https://badexample.net"],
    ["*.example.net:8443", "https://a.example.net"],
    ["[2001:db8::1]:8443", "https://[2001:db8::1]"],
  ])("may not go to anything but %s: %s", (hosts, endpoint) => {
    const env = { PACKETFILTER_HEADERS: HEADERS, PACKETFILTER_CREDENTIAL_HOSTS: hosts };
    const message = `PACKETFILTER_HEADERS would go to ${endpoint}, a host that PACKETFILTER_CREDENTIAL_HOSTS does not name: nothing was sent.`;
    expect(() => node({ endpoint }, env)).toThrow(message);
    expect(() => node({}, { ...env, PACKETFILTER_ENDPOINT: endpoint })).toThrow(message);
    // Without credentials there is nothing to keep back.
    const { PACKETFILTER_HEADERS: _, ...bare } = env;
    expect(node({ endpoint }, bare)).toEqual({ endpoint });
  });

  it("may go without encryption only where the host is named so", () => {
    const env = { PACKETFILTER_HEADERS: HEADERS, PACKETFILTER_CREDENTIAL_HOSTS: "node.example.net" };
    expect(() => node({ endpoint: "http://node.example.net" }, env)).toThrow(
      "PACKETFILTER_HEADERS would go to http://node.example.net, a host that PACKETFILTER_CREDENTIAL_HOSTS names for https only: nothing was sent. Write http:// before it",
    );
    const plain = { ...env, PACKETFILTER_CREDENTIAL_HOSTS: "http://node.example.net" };
    expect(() => node({ endpoint: "https://node.example.net" }, plain)).toThrow("does not name: nothing was sent");
  });

  it("in an address of the environment are kept to the same hosts", () => {
    const env = {
      PACKETFILTER_ENDPOINT: "https://user:canary@node.example.org",
      PACKETFILTER_CREDENTIAL_HOSTS: "node.example.net",
    };
    expect(() => node({}, env)).toThrow("PACKETFILTER_ENDPOINT would go to https://node.example.org, a host");
    expect(() => node({}, env)).toThrow(expect.objectContaining({ message: expect.not.stringContaining("canary") }));
  });

  it.each(["", " , ", "*", "ftp://node.example.net", "node.*.net", "node.example.net:https", "a b"])(
    "go nowhere while the hosts make no sense: %j",
    (hosts) => {
      const env = { ...OWN, PACKETFILTER_CREDENTIAL_HOSTS: hosts };
      expect(() => node({}, env)).toThrow(/^PACKETFILTER_CREDENTIAL_HOSTS /);
    },
  );

  it.each([
    ["list", ["list", "prefixset://edge/blocked", "--endpoint", "https://other.example.org"]],
    ["probe", ["probe", "prefixset://edge/blocked", "--endpoint", "https://other.example.org"]],
    ["capture", ["capture", "prefixset://edge/blocked", "--endpoint", "https://other.example.org"]],
  ])("are kept by %s to the same addresses", async (_name, args) => {
    expect(await run(args, { env: OWN })).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        "PACKETFILTER_HEADERS would go to https://other.example.org, which --endpoint names, but the environment names https://node.example.net (PACKETFILTER_ENDPOINT): nothing was sent.",
      ),
    });
    const env = { PACKETFILTER_HEADERS: HEADERS, PACKETFILTER_CREDENTIAL_HOSTS: "node.example.net" };
    expect(await run(args, { env })).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        "https://other.example.org, a host that PACKETFILTER_CREDENTIAL_HOSTS does not name",
      ),
    });
  });

  it("for a receiver are kept by commands to the same addresses", async () => {
    const args = ["probe", "--signaling", "192.0.2.1/32", "--signaling-url", "https://other.example.org/path"];
    expect(await run(args, { env: RECEIVER })).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        "PACKETFILTER_CLIENT_ID and PACKETFILTER_SECRET_KEY would go to https://other.example.org/path, which --signaling-url names",
      ),
    });
  });
});
