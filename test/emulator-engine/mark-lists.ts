import { type DialectSettings, dialect } from "../../provider/emulator/behaviour/dialect";
import type { MarkStore } from "../../provider/emulator/marks";
import { listMarks } from "../../provider/emulator/node/mark-list";
import type { MarkType } from "../../provider/model/mark";

/** The list of a table in the chunks in which the node API sends it. */
export function markChunks(
  marks: MarkStore,
  type: MarkType = "shost",
  settings: DialectSettings = {},
): Iterable<Buffer> {
  const { body } = listMarks(marks, { kind: "mark", arena: "edge", profile: "web" }, type, dialect(settings));
  return typeof body === "string" ? [Buffer.from(body)] : Buffer.isBuffer(body) ? [body] : body;
}

/** The same as a text. */
export function markList(marks: MarkStore, type?: MarkType, settings?: DialectSettings): string {
  return Buffer.concat([...markChunks(marks, type, settings)]).toString();
}
