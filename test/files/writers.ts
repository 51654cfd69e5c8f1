import { basename, dirname } from "node:path";
import { rules } from "../../policies/all-rules";
import { parsePolicyConfig } from "../../policies/config/load";
import { startRun } from "../../policies/start-run";
import { appendAudit } from "../../provider/apply/audit-log";
import { UndoFile } from "../../provider/commands/probing/undo-file";
import { startEmulator } from "../../provider/emulator";
import { replaceFile } from "../../provider/files/whole-file";
import { RejectedFiles } from "../../provider/forwarder/delivery/rejected";
import { Store } from "../../provider/forwarder/ledger/store";
import type { ForwardRecord } from "../../provider/forwarder/record/record";
import { file as fileSink } from "../../provider/forwarder/sinks/file";
import type { SinkContext } from "../../provider/forwarder/sinks/sink";
import { writeNew } from "../../provider/import/write-new";
import { run } from "../commands/support";

/** All that writes, by the file that it is told to write. Each fails with what it says of it. */
export const WRITERS = {
  "the audit log": (file) =>
    appendAudit(file, { time: "", actor: undefined, node: "fra1", set: "", prefixes: {}, outcome: "applied" }),
  "the findings of policies": (file) =>
    startRun(rules, { config: parsePolicyConfig({}, rules), environment: { PACKETFILTER_POLICIES_REPORT: file } }),
  "an import": (file) => writeNew(dirname(file), new Map([[basename(file), "{}"]])),
  "what probe found, a pid file": (file) => replaceFile(file, "{}"),
  "the emulator's journal": (file) => command("emulator", "--journal", file),
  "a recording": async (file) => (await startEmulator({ proxy: "http://127.0.0.1:9", record: file })).close(),
  "a state that is kept": async (file) => (await startEmulator({ persist: file })).close(),
  block: (file) => command("block", "203.0.113.7", "--reason", "flood", "--permanent", "--file", file),
  unblock: (file) => command("unblock", "203.0.113.7", "--file", file),
  "the forwarder's state": async (file) => (await Store.open(file)).close(),
  "a file of the forwarder": async (path) => {
    const options = { path, rotateBytes: 1_024, keep: 1 };
    const sink = await fileSink.open({
      folder: "/",
      format: "records",
      options: () => options,
    } as unknown as SinkContext);
    await sink.deliver([{ payload: Buffer.from("{}\n") }] as never, new AbortController().signal);
  },
  "records that a sink refused": (file) =>
    new RejectedFiles(dirname(file), Date.now).add([
      { record: { recordId: "1" } as unknown as ForwardRecord, reason: "no such index" },
    ]),
  "notes of a probe": (file) => new UndoFile(file, file, "pulumi-packetfilter probe --clean"),
} satisfies Record<string, (file: string) => unknown>;

async function command(...args: string[]): Promise<void> {
  const { err } = await run(args);
  throw new Error(err);
}

/** The name that the forwarder itself gives such a file. */
export const NAMES: Record<string, string> = { "records that a sink refused": "00000001.ndjson" };
