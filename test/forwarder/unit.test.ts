import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { check, temporaryFolder } from "./support/forward";

const FILE = resolve(__dirname, "../../examples/forwarder-service/packetfilter-forward.service");
const members = new Map(
  readFileSync(FILE, "utf8")
    .split("\n")
    .filter((line) => /^\w+=/.test(line))
    .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
);

beforeAll(async () => {
  const { ensureSystemd } = await import("../../tools/systemd.mjs");
  ensureSystemd();
}, 300_000);

test("systemd finds no mistake in the unit, waits until it is ready, and starts again what stands still", () => {
  const { stdout, stderr, status } = spawnSync("systemd-analyze", ["verify", "--recursive-errors=no", FILE], {
    encoding: "utf8",
  });
  expect({ stdout, stderr, status }).toEqual({ stdout: "", stderr: "", status: 0 });
  const told = Object.fromEntries(["Type", "NotifyAccess", "WatchdogSec"].map((name) => [name, members.get(name)]));
  expect(told).toEqual({ Type: "notify", NotifyAccess: "all", WatchdogSec: "60" });
});

test("the service keeps its files to itself, and a wrong configuration is not tried again", () => {
  expect(members.get("UMask")).toBe("0077");
  expect(members.get("LimitCORE")).toBe("0");
  // The exit code of wrong use and of a configuration that is wrong whatever the machine has; start-errors.test.ts has all others.
  expect(members.get("RestartPreventExitStatus")).toBe("2");
});

test("its own user reads secrets of root: systemd hands them over, and the configuration finds them in that folder", async () => {
  const [name = "", folder] = members.get("LoadCredential")?.split(":") ?? [];
  expect([name, folder]).toEqual(["secret", "/etc/packetfilter/secrets"]);
  // As systemd does with a folder: a copy of each file, for the service's user, named after both (systemd.exec, LoadCredential=).
  using credentials = temporaryFolder();
  writeFileSync(join(credentials.path, `${name}_node`), "Bearer abc\n", { mode: 0o400 });
  const config = (
    secret: string,
  ) => `nodes: { fra1: { endpoint: "http://192.0.2.10", headers: { authorization: { file: "${secret}" } } } }
watch: [{ arena: edge }]
sinks: [{ name: out, type: stdout }]
`;
  const [, named = ""] = /\{ file: "(\S+)NAME" \}/.exec(readFileSync(FILE, "utf8")) ?? [];
  const env = { CREDENTIALS_DIRECTORY: credentials.path };
  expect(await check(config(`${named}node`), env)).toBe(0);
  // It may be handed over by the next start.
  expect(await check(config(`${named}other`), env)).toBe(1);
});

test("what Node has compiled is kept from start to start, where its own user may write", () => {
  expect([members.get("CacheDirectory"), members.get("Environment")]).toEqual([
    "packetfilter-forward",
    "NODE_COMPILE_CACHE=%C/packetfilter-forward",
  ]);
});

test("the service has no rights that a forwarder does not need", () => {
  const hardening = Object.fromEntries([...members].filter(([name]) => name in HARDENING));
  expect(hardening).toEqual(HARDENING);
  // It rates what is left of 10.
  const rated = spawnSync("systemd-analyze", ["security", "--offline=true", "--no-pager", FILE], { encoding: "utf8" });
  const [, exposure] = /Overall exposure level .*: ([\d.]+)/.exec(rated.stdout) ?? [];
  expect(Number(exposure)).toBeLessThan(3);
});

const HARDENING = {
  DynamicUser: "yes",
  NoNewPrivileges: "yes",
  CapabilityBoundingSet: "",
  ProtectSystem: "strict",
  ProtectHome: "yes",
  ProtectProc: "invisible",
  ProtectClock: "yes",
  ProtectControlGroups: "yes",
  ProtectHostname: "yes",
  ProtectKernelLogs: "yes",
  ProtectKernelModules: "yes",
  ProtectKernelTunables: "yes",
  PrivateTmp: "yes",
  PrivateDevices: "yes",
  PrivateUsers: "yes",
  LockPersonality: "yes",
  RestrictAddressFamilies: "AF_INET AF_INET6 AF_UNIX AF_NETLINK",
  RestrictNamespaces: "yes",
  RestrictRealtime: "yes",
  SystemCallArchitectures: "native",
  SystemCallFilter: "~@privileged",
  SystemCallErrorNumber: "EPERM",
};
