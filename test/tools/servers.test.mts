import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ensureServer, SERVERS } from "../../tools/servers/ensure.mjs";
import { pinnedJars } from "../../tools/servers/maven.mjs";

let home: string;
let env: NodeJS.ProcessEnv;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "packetfilter-servers-"));
  env = { HOME: home, PATH: join(home, "path") };
  mkdirSync(join(home, "path"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const out = { write: () => true };
const needed = (name: keyof typeof SERVERS, reason: string) =>
  `${name} ${SERVERS[name].version} is not to be had, and the tests need it: ${reason}`;

/** Puts a Java there that says so of itself. */
function java(version: string): void {
  program("java", `echo 'openjdk version "${version}" 2026-01-20' >&2`);
}

function program(name: string, script: string): void {
  const file = join(home, "path", name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
}

test("without Go and without Java, tests that need a server say what to install", async () => {
  await expect(ensureServer("nats", { env, out })).rejects.toThrow(
    needed("nats", "there is no go on PATH: install Go 1.26 or later (https://go.dev/doc/install)"),
  );
  const install = "install Java 17 or later (https://adoptium.net)";
  await expect(ensureServer("kafka", { env, out })).rejects.toThrow(
    needed("kafka", `there is no java on PATH: ${install}`),
  );
  java("1.8.0_402");
  await expect(ensureServer("kafka", { env, out })).rejects.toThrow(
    needed("kafka", `java on PATH is 1.8.0: ${install}`),
  );
  java("21.0.2");
  const jdk = "install a JDK 17 or later (https://adoptium.net)";
  await expect(ensureServer("pulumi-java", { env, out })).rejects.toThrow(
    needed("pulumi-java", `there is no javac on PATH: ${jdk}`),
  );
  program("javac", "echo javac 11.0.2");
  await expect(ensureServer("pulumi-java", { env, out })).rejects.toThrow(
    needed("pulumi-java", `javac on PATH is 11.0.2: ${jdk}`),
  );
});

test("jars that are there are found, and nothing is fetched", async () => {
  java("21.0.2");
  const jars = join(home, ".cache/pulumi-packetfilter/servers", `kafka-${SERVERS.kafka.version}`);
  mkdirSync(jars, { recursive: true });
  expect(await ensureServer("kafka", { env, out })).toBe(jars);
});

test.each(["kafka", "pulumi-java"] as const)(
  "every jar of %s is pinned once, by its digest and its path at Maven Central",
  (name) => {
    const pins = pinnedJars(name);
    const odd = pins.filter(({ digest, path }) => !/^[0-9a-f]{64}$/.test(digest) || !/^[\w./-]+\.jar$/.test(path));
    expect(odd).toEqual([]);
    expect(new Set(pins.map(({ path }) => path)).size).toBe(pins.length);
    expect(pins.filter(({ path }) => path.includes(`/${SERVERS[name].version}/`))).not.toEqual([]);
  },
);
