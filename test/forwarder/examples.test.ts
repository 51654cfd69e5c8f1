import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { repeatOffenders } from "../../examples/repeat-offenders/offenders";
import { startEmulator } from "../../provider/emulator";
import { CertificateAuthority } from "../../provider/emulator/http/certificates";
import { LiveConfig } from "../../provider/forwarder/config/config";
import { Forwarder } from "../../provider/forwarder/forwarder";
import { TestClock, until } from "./support/clock";
import { Told, temporaryFolder } from "./support/forward";
import { BUILD_TIMEOUT, startVictoriaLogs, type VictoriaLogs } from "./support/servers";

const root = resolve(__dirname, "../..");
let logs: VictoriaLogs;

beforeAll(async () => {
  logs = await startVictoriaLogs(new CertificateAuthority("test authority", Date.now()).issueServer("localhost"));
}, BUILD_TIMEOUT);
afterAll(async () => {
  await logs?.[Symbol.asyncDispose]();
});

const marks = (...last: number[]) => ({
  arenas: {
    edge: {
      profiles: {
        web: { marks: { shost: last.map((n) => ({ address: `203.0.113.${n}`, id: 1, value: 1, lifetime: 60 })) } },
      },
    },
  },
});

test("marks go into VictoriaLogs, and repeated offenders come back; an empty answer, a long one and no data are refused", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: marks(1, 2) });
  const question = { url: logs.url, times: 3, within: "1d", most: 10 };
  await expect(repeatOffenders(question)).rejects.toThrow("No mark reached");

  // The example's own configuration; its records carry the time of the test's clock, which begins now.
  const env = { NODE: emulator.endpoint, VICTORIALOGS: logs.url };
  const written = parse(readFileSync(join(root, "examples/marks-to-victorialogs/forwarder.yaml"), "utf8"));
  const config = await LiveConfig.ofObject(written, env, folder.path);
  const clock = new TestClock(Date.now() - 3_600_000);
  const forwarder = await Forwarder.open({
    config,
    log: new Told(),
    world: clock,
    stdout: async () => {},
    thread: false,
  });
  forwarder.start();
  const sent = () => forwarder.metrics.get("sent_records_total", { sink: "victorialogs" });
  await until(() => sent() === 2);
  await expect(repeatOffenders(question)).rejects.toThrow(
    "No source was marked 3 times within 1d: what is blocked stays.",
  );
  // The second address comes and goes; the first stays, which is no offence.
  for (const [list, records] of [
    [marks(1), 3],
    [marks(1, 2), 4],
    [marks(1), 5],
    [marks(1, 2), 6],
  ] as const) {
    emulator.seed(list);
    clock.advance(3_000);
    await until(() => sent() === records);
  }
  await forwarder.stop(0);
  expect(await repeatOffenders(question)).toEqual(["203.0.113.2"]);
  expect(await repeatOffenders({ ...question, times: 1 })).toEqual(["203.0.113.1", "203.0.113.2"]);
  await expect(repeatOffenders({ ...question, times: 1, most: 1 })).rejects.toThrow(
    "2 sources were marked 1 times within 1d, more than 1",
  );
  expect(await repeatOffenders({ ...question, times: 99, allowEmpty: true })).toEqual([]);
});

test("an analysis system that fails stops the program, and nothing is unblocked", async () => {
  const server = createServer((_, response) => response.writeHead(500).end("no such table")).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await expect(repeatOffenders({ url, times: 1, within: "1d", most: 1, allowEmpty: true })).rejects.toThrow(
    `${url} answers HTTP 500: no such table`,
  );
  server.close();
});
