import { writeFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { type Certificate, CertificateAuthority } from "../../provider/emulator/http/certificates";
import { LiveConfig } from "../../provider/forwarder/config/config";
import { ownPort } from "../support/ports";
import { passUntil, until } from "./support/clock";
import { configOf, stateWith, temporaryFolder } from "./support/forward";
import { startService } from "./support/service";

const TOKEN = "first-token";
const NEXT_TOKEN = "other-token";

/** Answer to a request with a connection of its own: status, wanted credentials, and members of the document. */
function get(url: string, ca: string, token?: string): Promise<unknown[]> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    const asked = request(url, { ca, agent: false, headers }, async (answer) => {
      let text = "";
      for await (const chunk of answer) text += chunk;
      const isDocument = answer.headers["content-type"] === "application/json";
      resolve([answer.statusCode, ...(isDocument ? [Object.keys(JSON.parse(text))] : text.split("\n").slice(0, 1))]);
    });
    asked.on("error", reject);
    asked.end();
  });
}

test("the listener speaks TLS, lets in who has the token, and takes what is new in their files", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: stateWith(2) });
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  const authorities = ["first", "second"].map((name) => new CertificateAuthority(name, Date.now()));
  const [first, second] = authorities.map(({ cert }) => cert) as [string, string];
  const [own, next] = authorities.map((one) => one.issueServer("127.0.0.1")) as [Certificate, Certificate];
  const install = (certificate: Certificate, token: string): void => {
    write("cert", certificate.cert);
    write("key", certificate.key);
    write("token", `${token}\n`);
  };
  const tls = { cert: { file: "cert" }, key: { file: "key" } };
  const listen = { address: `127.0.0.1:${await ownPort()}`, tls, token: { file: "token" } };
  const base = configOf(emulator, [{ name: "disk", type: "file", path: "marks.ndjson" }], { listen });
  const read = (more: object) => LiveConfig.ofObject({ ...base, ...more }, {}, folder.path);
  install(own, TOKEN);
  const { service, clock, log, url } = await startService(base, folder.path);
  await until(() => service.forwarder.unready.length === 0, clock);

  // Who asks without it, as probes do, learns whether all is well, and no more.
  for (const token of [undefined, "wrong", `${TOKEN}s`]) {
    expect(await get(`${url()}/healthz`, first, token)).toEqual([200, ["ok"]]);
    expect(await get(`${url()}/readyz`, first, token)).toEqual([200, ["ok"]]);
    expect(await get(`${url()}/metrics`, first, token)).toEqual([401, "The token of `listen` is required."]);
  }
  expect(await get(`${url()}/healthz`, first, TOKEN)).toEqual([200, ["ok", "checks"]]);
  expect(await get(`${url()}/readyz`, first, TOKEN)).toEqual([200, ["ok", "checks", "notes", "sinks"]]);
  expect(await get(`${url()}/metrics`, first, TOKEN)).toEqual([200, expect.stringMatching("^# HELP ")]);
  await expect(fetch(url().replace("https", "http"))).rejects.toThrow("fetch failed");

  // A certificate without its key is none: the old one stays.
  write("cert", next.cert);
  await passUntil(() => log.lines.some((line) => line.includes("Secrets are unchanged")), clock);
  expect(log.lines.at(-1)).toBe("warn Secrets are unchanged: configuration: `listen.tls.key` is not the key of `cert`");
  expect(await get(`${url()}/metrics`, first, TOKEN)).toEqual([200, expect.anything()]);
  install(next, NEXT_TOKEN);
  await passUntil(() => log.lines.some((line) => line.includes("Secrets were read again")), clock);
  await expect(get(`${url()}/healthz`, first)).rejects.toThrow("certificate");
  expect((await get(`${url()}/metrics`, second, TOKEN))[0]).toBe(401);
  expect((await get(`${url()}/metrics`, second, NEXT_TOKEN))[0]).toBe(200);

  // So does a reload, at the same port.
  const before = url();
  install(own, TOKEN);
  const reloads = () => log.lines.filter((line) => line.includes("The configuration was read again.")).length;
  service.reload(() => read({}));
  await until(() => reloads() === 1);
  expect(await get(`${before}/metrics`, first, TOKEN)).toEqual([200, expect.anything()]);

  service.reload(() => read({ listen: "127.0.0.1:0" }));
  await until(() => reloads() === 2);
  await expect(get(`${before}/healthz`, first)).rejects.toThrow("ECONNREFUSED");
  expect(log.lines.join("\n")).not.toMatch(/first-token|other-token|PRIVATE/);
});
