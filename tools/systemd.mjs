// @ts-check
import { ensureDebian } from "./lib/debian.mjs";

/** Makes sure of `systemd-notify` and `systemd-analyze`, which tests of the forwarder's service run. Needs no systemd at work. */
export function ensureSystemd() {
  for (const program of ["systemd-notify", "systemd-analyze"])
    ensureDebian(`/usr/bin/${program}`, "systemd", `Run these tests on a Linux with systemd.`);
}
