import { afterAll, beforeAll, expect, test } from "vitest";
import { repeatOffenders } from "../../examples/repeat-offenders/offenders";
import { startEmulator } from "../../provider/emulator";
import { CertificateAuthority } from "../../provider/emulator/http/certificates";
import { serveRaw } from "../support/raw-server";
import { temporaryFolder } from "./support/forward";
import { forwardMarks, marksOf } from "./support/offenders";
import { BUILD_TIMEOUT, startVictoriaLogs, type VictoriaLogs } from "./support/servers";

let logs: VictoriaLogs;

beforeAll(async () => {
  logs = await startVictoriaLogs(new CertificateAuthority("test authority", Date.now()).issueServer("localhost"));
}, BUILD_TIMEOUT);
afterAll(async () => {
  await logs?.[Symbol.asyncDispose]();
});

test("VictoriaLogs takes marks and returns repeated offenders; empty, long and missing answers are refused", async () => {
  using folder = temporaryFolder();
  await using emulator = await startEmulator({ state: marksOf(1, 2) });
  const question = { url: logs.url, times: 3, within: "1d", most: 10 };
  await expect(repeatOffenders(question)).rejects.toThrow("No mark reached");

  // The second address comes and goes; the first stays, which is no offence.
  const afterFirst = () =>
    expect(repeatOffenders(question)).rejects.toThrow(
      "No source was marked in 3 intervals within 1d: what is blocked stays.",
    );
  await forwardMarks(emulator, logs.url, folder.path, [[1, 2], [1], [1, 2], [1], [1, 2]], { afterFirst });
  expect(await repeatOffenders(question)).toEqual(["203.0.113.2"]);
  expect(await repeatOffenders({ ...question, times: 1 })).toEqual(["203.0.113.1", "203.0.113.2"]);
  await expect(repeatOffenders({ ...question, times: 1, most: 1 })).rejects.toThrow(
    "2 sources were marked in 1 intervals within 1d, more than 1",
  );
  expect(await repeatOffenders({ ...question, times: 99, allowEmpty: true })).toEqual([]);
  // All within one interval is once.
  expect(await repeatOffenders({ ...question, interval: "24h", within: "2d", allowEmpty: true })).toEqual([]);

  // A table that is told as a whole again and again, by whichever forwarder, marks nothing anew: address 1 stays no offender.
  for (let takeover = 0; takeover < 6; takeover++) {
    using other = temporaryFolder();
    const lists = Array.from({ length: takeover + 1 }, () => [1]);
    await forwardMarks(emulator, logs.url, other.path, lists, { isBroken: true });
  }
  expect(await repeatOffenders({ ...question, times: 2 })).toEqual(["203.0.113.2"]);
});

test("an analysis system that fails stops the program, and nothing is unblocked", async () => {
  using server = await serveRaw((_, response) => response.writeHead(500).end("no such table"));
  const { url } = server;
  await expect(repeatOffenders({ url, times: 1, within: "1d", most: 1, allowEmpty: true })).rejects.toThrow(
    `${url} answers HTTP 500: no such table`,
  );
});
