import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RejectedFiles } from "../../provider/forwarder/delivery/rejected";
import { Outgoing } from "../../provider/forwarder/record/outgoing";
import { file } from "../../provider/forwarder/sinks/file";
import type { Sink, SinkContext } from "../../provider/forwarder/sinks/sink";
import { stdout } from "../../provider/forwarder/sinks/stdout";
import { RECORD, temporaryFolder } from "./support/forward";

/** CSI by one character (U+009b), DEL, and signs that turn the direction of writing around. */
const EVIL = "a\u009b31mb\u007f\u202ec\u0085d";
const record = { ...RECORD, address: EVIL, message: EVIL };

test("what people look at, in a terminal or a file, holds nothing that acts on a screen, and says the same", async () => {
  using folder = temporaryFolder();
  const printed: string[] = [];
  const context = (options: object) =>
    ({
      folder: folder.path,
      format: "plain",
      stdout: async (text: string) => void printed.push(text),
      options: () => options,
    }) as unknown as SinkContext;
  const sinks: Sink[] = [
    await stdout.open(context({})),
    await file.open(context({ path: "marks.ndjson", rotateBytes: 1_000_000, keep: 1 })),
  ];
  for (const sink of sinks) {
    const { payload } = await sink.write(Outgoing.all([Outgoing.of([record])]));
    await sink.deliver([{ payload }] as never, new AbortController().signal);
    await sink.close();
  }
  const refused = join(folder.path, "refused");
  await new RejectedFiles(refused, Date.now).add([{ record, reason: EVIL }]);
  const kept = readFileSync(join(refused, readdirSync(refused)[0] ?? ""), "utf8");
  for (const text of [printed.join(""), readFileSync(join(folder.path, "marks.ndjson"), "utf8"), kept]) {
    expect(text).not.toMatch(/[\u007f-\u009f\u202e]/);
    const line = JSON.parse(text);
    expect((line.record ?? line).address).toBe(EVIL);
  }
});
