import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createSecureServer } from "node:http2";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { CertificateAuthority } from "../../provider/emulator/http/certificates";
import type { TestStack } from "./support/stack";
import { BLOCKED, mutations, world } from "./support/world";

const root = process.cwd();
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const platform = `${process.platform}-${process.arch === "x64" ? "amd64" : process.arch}`;
const ARCHIVE = `pulumi-resource-packetfilter-v${version}-${platform}.tar.gz`;

/** Files of the plugin in a release. */
let assets: string;

beforeAll(async () => {
  const { writeArchives } = await import("../../tools/plugin-archive.mjs");
  assets = await mkdtemp(join(tmpdir(), "packetfilter-archive-"));
  await writeArchives(assets);
});
afterAll(() => rm(assets, { recursive: true, force: true }));

/** A stack whose project names no folder of the plugin, so that the engine looks for an installed one. */
async function withoutPath() {
  const w = await world({
    program: `
      const config = new pulumi.Config("packetfilter");
      const provider = new pf.Provider("site", { endpoint: config.require("endpoint") });
      new pf.PrefixSet("blocked", { arena: "edge", set: "blocked", entries: { "192.0.2.0/24": 1 } }, { provider });`,
  });
  await w.stack.write("Pulumi.yaml", "name: journey\nruntime: nodejs\n");
  // The engine would take one on PATH before those that are installed.
  w.stack.environment({ PULUMI_IGNORE_AMBIENT_PLUGINS: "true" });
  return w;
}

const install = (stack: TestStack, ...args: string[]) =>
  stack.pulumi("plugin", "install", "resource", "packetfilter", version, ...args);

it("the plugin's archive is installed from a file, and serves the schema and programs of its version", async () => {
  await using w = await withoutPath();
  const { emulator, stack } = w;
  const installed = await install(stack, "--file", join(assets, ARCHIVE));
  expect(installed.code, installed.text).toBe(0);

  const served = await stack.pulumi("package", "get-schema", `packetfilter@${version}`);
  expect(served.code, served.text).toBe(0);
  const schema = JSON.parse(await readFile(join(root, "schemas/provider.schema.json"), "utf8"));
  expect(JSON.parse(served.stdout)).toMatchObject({ name: "packetfilter", version, provider: schema.provider });

  await stack.must("up", "--yes", "--skip-preview");
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/24": 1 });
});

it("is installed from a server that has a release's files, and is refused with another digest", async () => {
  await using w = await withoutPath();
  const { emulator, stack } = w;
  const authority = new CertificateAuthority("test authority", Date.now());
  await stack.write("authority.pem", authority.cert);
  stack.environment({ SSL_CERT_FILE: join(stack.folder, "authority.pem") });
  const asked: string[] = [];
  // Over HTTP/2, as releases are served: over HTTP/1.1 the CLI leaves the last bytes out of the digest.
  const server = createSecureServer(authority.issueServer("127.0.0.1"), async ({ url }, answer) => {
    asked.push(url);
    const archive = await readFile(join(assets, url));
    answer.setHeader("content-length", archive.length);
    answer.end(archive);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const from = ["--server", `https://127.0.0.1:${port}`, "--checksum"];
    const refused = await install(stack, ...from, "0".repeat(64));
    expect(refused.code).not.toBe(0);
    expect(refused.text).toContain("invalid checksum");

    const sums = await readFile(join(assets, `pulumi-resource-packetfilter-v${version}-checksums.txt`), "utf8");
    const digest =
      sums
        .split("\n")
        .find((line) => line.endsWith(`  ${ARCHIVE}`))
        ?.slice(0, 64) ?? "";
    const taken = await install(stack, ...from, digest);
    expect(taken.code, taken.text).toBe(0);
    expect(new Set(asked)).toEqual(new Set([`/${ARCHIVE}`]));
  } finally {
    server.close();
  }
  await stack.must("up", "--yes", "--skip-preview");
  expect(mutations(emulator)).toEqual(["insert 1", "commit"]);
});
