import { describe, expect, it } from "vitest";
import { NodeClient, OptionsError, SignalingClient } from "../../provider/client";
import { nodeSchema, receiverSchema } from "../../provider/client/options";
import { CertificateAuthority } from "../../provider/emulator/http/certificates";

const PEM = new CertificateAuthority("test authority", Date.now()).cert;
const NODE = { endpoint: "http://192.0.2.10:8080" };
const RECEIVER = { url: "https://signal.example.net/path", clientId: "c1", secretKey: "canary-5ecret" };

describe("options of a node", () => {
  it("are kept as given, with no defaults written", () => {
    expect(nodeSchema().parse(NODE)).toEqual(NODE);
    expect(Object.keys(nodeSchema().parse(NODE))).toEqual(["endpoint"]);
  });

  it("may be strings where config can hold nothing else", () => {
    const options = {
      ...NODE,
      endpoint: "https://node.example",
      headers: '{"X-Token":"t"}',
      tls: JSON.stringify({ ca: PEM }),
      timeoutMs: "500",
    };
    expect(nodeSchema().parse(options)).toEqual({
      endpoint: "https://node.example",
      headers: { "X-Token": "t" },
      tls: { ca: PEM },
      timeoutMs: 500,
    });
  });

  it.each([
    [{}, "`endpoint` must be a string"],
    [{ endpoint: "" }, "`endpoint` must not be empty"],
    [{ endpoint: "192.0.2.10:8080" }, "`endpoint` is not a url"],
    [{ endpoint: "ftp://192.0.2.10" }, "`endpoint` must begin with http:// or https://"],
    [{ endpoint: "http://192.0.2.10/?token=canary-5ecret" }, '`endpoint` must be a base url, without "?" and "#"'],
    [{ ...NODE, timeout: 5 }, "has no member `timeout`"],
    [{ ...NODE, timeoutMs: 0 }, "`timeoutMs` must be at least 1"],
    [{ ...NODE, timeoutMs: 2 ** 31 }, "`timeoutMs` must be at most 2147483647"],
    [{ ...NODE, timeoutMs: "soon" }, "`timeoutMs` must be a number"],
    [{ ...NODE, maxConcurrency: 1.5 }, "`maxConcurrency` must be an integer"],
    [{ ...NODE, headers: "canary-5ecret" }, "`headers` must be an object of strings, or its JSON"],
    [{ ...NODE, headers: { "bad name": "canary-5ecret" } }, "`headers.bad name` is not the name of a header"],
    [
      { ...NODE, headers: { "x-a": "canary-5ecret\r\nx-b: 1" } },
      "`headers.x-a` has a value with characters that no header can carry",
    ],
    [{ ...NODE, headers: { "Content-Length": "1" } }, "`headers.Content-Length` is set by the client itself"],
    [{ ...NODE, headers: { "x-a": 1 } }, "`headers.x-a` must be a string"],
    [{ endpoint: "https://node.example", tls: { ca: "canary-5ecret" } }, "`tls.ca` holds no certificate in PEM"],
    [{ ...NODE, tls: { ca: PEM } }, "`tls` has no effect, since `endpoint` is not https"],
    [{ endpoint: "https://node.example", tls: { key: "canary-5ecret" } }, "`tls` `cert` and `key` belong together"],
    [{ endpoint: "https://node.example", tls: { pfx: "canary-5ecret" } }, "`tls` has no member `pfx`"],
    ["canary-5ecret", "must be an object"],
  ])("%o: %s", (options, message) => {
    const construct = () => new NodeClient(options as never);
    expect(construct).toThrow(OptionsError);
    expect(construct).toThrow(`Options of the node: ${message}`);
    expect(construct).not.toThrow(/canary/);
  });

  it.each([
    ["http://192.0.2.10:8080/fapi", "http://192.0.2.10:8080"],
    ["http://192.0.2.10:80/", "http://192.0.2.10"],
    ["HTTPS://Node.EXAMPLE:443/fapi/", "https://node.example"],
    ["https://user:canary-5ecret@node.example/a//", "https://node.example/a"],
    ["http://[2001:DB8::1]:8080/proxy/fapi", "http://[2001:db8::1]:8080/proxy"],
  ])("the endpoint %s is shown as %s", (endpoint, shown) => {
    expect(new NodeClient({ endpoint }).endpoint).toBe(shown);
  });
});

describe("options of a receiver", () => {
  it("are kept as given", () => {
    expect(receiverSchema().parse(RECEIVER)).toEqual(RECEIVER);
    expect(new SignalingClient({ ...RECEIVER, url: `${RECEIVER.url}/` }).endpoint).toBe(RECEIVER.url);
  });

  it.each([
    [{ ...RECEIVER, secretKey: "" }, "`secretKey` must not be empty"],
    [{ ...RECEIVER, secretKey: ".." }, '`secretKey` must not be "." or ".."'],
    [{ ...RECEIVER, clientId: 1 }, "`clientId` must be a string"],
    [{ ...RECEIVER, client: "c1" }, "has no member `client`"],
    [{ ...RECEIVER, url: "signal.example.net" }, "`url` is not a url"],
  ])("%o: %s", (options, message) => {
    const construct = () => new SignalingClient(options as never);
    expect(construct).toThrow(`Options of the receiver: ${message}`);
    expect(construct).not.toThrow(/canary/);
  });
});
