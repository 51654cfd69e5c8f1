import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { startEmulator } from "../../provider/emulator";
import { fapi } from "../emulator/calls";
import { useFolder } from "../support/folder";
import { run } from "./support";

const BLOCKED = "prefixset://edge/blocked";
const folder = useFolder();

test("a running emulator is told what goes wrong, and says what it was asked", async () => {
  await using emulator = await startEmulator();
  emulator.clock.freeze("2026-12-01T10:00:00Z");
  const call = async (...args: string[]) => {
    const { code, out, err } = await run(["emulator", ...args], {
      env: { PACKETFILTER_EMULATOR_CONTROL: emulator.control },
    });
    return code === 0 ? out : `${code}: ${err}`;
  };
  expect(await call("fail", "cmd=commit", "status=503", "message=503")).toBe(
    `id  kind   fault                              seen  hits  spent
 1  error  cmd=commit status=503 message=503     0     0  false

1 fault
`,
  );
  await fapi(emulator, { url: BLOCKED, cmd: "insert", data: [{ p: "203.0.113.0/24", v: 1 }] });
  await fapi(emulator, { url: BLOCKED, cmd: "commit" });
  await fapi(emulator, { url: BLOCKED, cmd: "commit" });
  expect(await call("journal", "--limit", "2", "--cmd", "commit")).toBe(
    `#1 10:00:00.000 node commit ${BLOCKED} -> 503, 15 bytes: 503, fault error
#2 10:00:00.000 node commit ${BLOCKED} -> 200, 15 bytes, applied +1 -0 ~0, 1 after
`,
  );
  expect(await call("journal", "--runs")).toBe("run 1: 3 requests, 1 commit, +1, 1 failed\n");
  expect(await run(["emulator", "journal", "--cmd", "delete", "--at", emulator.control])).toEqual({
    code: 0,
    out: "",
    err: "No request of the journal matches.\n",
  });
  expect(JSON.parse(await call("journal", "--status", "503", "--output", "json"))).toEqual([emulator.journal[1]]);
  expect(JSON.parse(await call("journal", "--har", "--clear"))).toMatchObject({ log: { version: "1.2" } });
  expect(emulator.journal).toEqual([]);
  expect(await run(["emulator", "journal", "--at", emulator.control])).toEqual({
    code: 0,
    out: "",
    err: "The journal is empty.\n",
  });
  expect(await call("journal", "--output", "json")).toBe("[]\n");
  expect(JSON.parse(await call("fail", "--output", "json"))).toMatchObject([{ fault: { status: 503 }, spent: true }]);
  expect(await call("fail", "--clear")).toBe("0 faults\n");

  expect(await call("snapshot", "one")).toBe("Snapshot one: taken.\n");
  expect(await call("snapshot")).toBe("one\n");
  expect(JSON.parse(await call("snapshot", "one", "--output", "json"))).toEqual(["one"]);
  const file = join(folder, "state.yaml");
  await writeFile(file, "arenas:\n  core:\n    sets:\n      bad: { 192.0.2.0/24: 5 }\n");
  expect(await call("state", file)).toBe(`The emulator holds what ${file} says.\n`);
  expect(parse(await call("state"))).toEqual(emulator.state());
  expect(JSON.parse(await call("state", "--output", "json")).arenas).toEqual({
    core: { sets: { bad: { "192.0.2.0/24": 5 } }, profiles: {} },
  });
  expect(await call("snapshot", "one", "--restore")).toBe("Snapshot one: restored.\n");
  expect(emulator.prefixSet(BLOCKED).applied).toHaveProperty(["203.0.113.0/24"], 1);
  expect(await call("snapshot", "one", "--delete")).toBe("Snapshot one: forgotten.\n");
  expect(await call("reset")).toBe("The emulator is as it was at its start.\n");
  expect(emulator.prefixSet(BLOCKED).applied).not.toHaveProperty(["203.0.113.0/24"]);
  expect(await call("snapshot", "one", "--restore")).toMatch(/^1: .*no snapshot "one"/);
});

test("wrong use ends with 2, an emulator that does not answer or wants a token with 1", async () => {
  const controlToken = "a-token-for-this-test";
  await using emulator = await startEmulator({ controlToken });
  const at = ["--at", emulator.control, "--token", controlToken];
  const wrong = [
    [["reset"], /--at URL or PACKETFILTER_EMULATOR_CONTROL/],
    [["reset", "--at", "nowhere"], /not the address of a control API/],
    [["fail", "commit", ...at], /"commit" is written member=value/],
    [["fail", "cmd=comit", ...at], /did you mean "commit"/],
    [["fail", "cmd=commit", "times=", ...at], /times: must be .*, not a text/],
    [["fail", "kimd=error", ...at], /did you mean "kind"/],
    [["fail", "cmd=list", "cmd=commit", ...at], /"cmd" is given twice: leave one of them out\.\n$/],
    [["expect", ...at], /Give the expected requests/],
    [["expect", "cmd=", ...at], /cmd: must be one of .*"list"(?!.*not 0)/],
    [["expect", "then", "cmd=commit", ...at], /"then" stands between two requests/],
    [["expect", "cmd=list", "then", "cmd=commit", "--count", "1", ...at], /exclude each other/],
    [["expect", "cmd=list", "--since", "1", ...at], /--since goes with --within/],
    [["expect", "cmd=list", "--within", "soon", ...at], /duration/],
    [["expect", "cmd=insert", "cmd=commit", ...at], /"cmd" is given twice: leave .*, or write "then" between/],
    [["journal", "--limit", "few", ...at], /--limit must be a whole number/],
    [["journal", "--har", "--runs", ...at], /exclude each other/],
    [["journal", "--runs", "--cmd", "commit", ...at], /--cmd chooses requests, and --runs prints all/],
    [["snapshot", "--restore", ...at], /Name the snapshot/],
    [["state", "--output", "csv", ...at], /--output/],
    [["dialect", "klingon", ...at], /Unknown dialect "klingon"/],
    [["dialect", "prefixkey=net", ...at], /did you mean "prefixKey"/],
    [["change", BLOCKED, "--insert", "192.0.2.0/24", ...at], /"192.0.2.0\/24" is written prefix=value/],
    [["change", BLOCKED, "--insert", "192.0.2.1/24=1", ...at], /host bits/],
    [["change", BLOCKED, "--insert", "192.0.2.1/32=1", "192.0.2.1/32=2", ...at], /"192\.0\.2\.1\/32" is given twice/],
    [["change", BLOCKED, "--insert", "192.0.2.1/32=4294967296", ...at], /number from 0 to 4294967295, it is "42949/],
    [["signal", "--start", "198.51.100.7", ...at], /Name the client/],
    [["clock", "--freeze", "--resume", ...at], /--freeze and --resume exclude each other/],
    [["clock", "--advance", "1", ...at], /"1" is not a duration, since it has no unit: write "1ms", "1s" or "1m"/],
    [["packets", ...at], /Give one packet/],
    [["packets", "from=203.0.113.9", "--file", "packets.json", ...at], /Give one packet/],
    [["packets", "--file", __filename, ...at], /is not JSON/],
    [["packets", "--file", "-", ...at], /Standard input has no packets/],
    [["packets", "--traffic", "kind=rain", "to=198.51.100.7", "count=1", ...at], /kind/],
    [["marks", "profile://edge/web", "host", ...at], /type/],
  ] as const;
  for (const [args, reason] of wrong) {
    expect(await run(["emulator", ...args]), args.join(" ")).toMatchObject({
      code: 2,
      err: expect.stringMatching(reason),
    });
  }
  const failed = [
    [["reset", "--at", emulator.control], /HTTP 401/],
    [["state", "--at", emulator.endpoint], /the address of node and receiver, and the control API has another one/],
    [["change", "prefixset://edge/none", ...at], /There is no prefix-set/],
    [["signal", "client-x", "--start", "198.51.100.7", ...at], /There is no signaling client client-x/],
    [["marks", "profile://edge/none", "shost", ...at], /There is no profile/],
  ] as const;
  for (const [args, reason] of failed)
    expect(await run(["emulator", ...args])).toMatchObject({ code: 1, err: expect.stringMatching(reason) });
  const env = { PACKETFILTER_EMULATOR_CONTROL: emulator.control, PACKETFILTER_EMULATOR_TOKEN: controlToken };
  expect((await run(["emulator", "reset"], { env })).code).toBe(0);
  await emulator.close();
  expect(await run(["emulator", "reset"], { env })).toMatchObject({
    code: 1,
    err: expect.stringContaining("no answer"),
  });
});
