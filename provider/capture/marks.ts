import { RequestError } from "../client";
import { type MarkRecords, marksSchema } from "../emulator/marks";
import { MAX_VALUE } from "../model/entry";
import { MARK_TYPES, type Mark, type MarkType } from "../model/mark";
import { count } from "../model/text";

/** Reads the four mark tables of a profile as records of a state. `warn` is called with everything that they cannot hold. */
export async function captureMarks(
  list: (type: MarkType) => Promise<readonly Mark[]>,
  profile: string,
  warn: (message: string) => void,
): Promise<MarkRecords> {
  const tables: Partial<Record<MarkType, unknown[]>> = {};
  for (const type of MARK_TYPES) {
    const marks = await tableOf(list, type, `Marks (${type}) of ${profile}`, warn);
    const unknown = new Set(marks.flatMap(({ extra }) => Object.keys(extra ?? {})));
    if (unknown.size > 0)
      warn(`Marks (${type}) of ${profile}: left out ${[...unknown].join(", ")}, which are not known.`);
    if (marks.some(({ value = 0 }) => value > MAX_VALUE))
      warn(`Marks (${type}) of ${profile}: values above ${MAX_VALUE} are cut.`);
    if (marks.some(({ id }) => id === undefined))
      warn(`Marks (${type}) of ${profile}: those without an id get 0, since each has one in an emulator.`);
    const schema = marksSchema.shape[type];
    const records = new Map<string, unknown>();
    let [refused, repeated] = [0, 0];
    const held = marks.filter(({ id = 0 }) => id <= MAX_VALUE);
    if (held.length < marks.length)
      warn(
        `Marks (${type}) of ${profile}: left out ${count(marks.length - held.length, "record, whose id", "records, whose ids")} no emulator holds.`,
      );
    for (const mark of held) {
      const record = recordOf(mark);
      const { address, source, destination, sourcePort, destinationPort, protocol, id } = record;
      const key = JSON.stringify([address, source, destination, sourcePort, destinationPort, protocol, id]);
      if (!schema.safeParse([record]).success) refused += 1;
      else {
        if (records.has(key)) repeated += 1;
        records.set(key, record);
      }
    }
    if (repeated > 0)
      warn(
        `Marks (${type}) of ${profile}: left out ${count(repeated, "record that differs from another", "records that differ from others")} in neither key nor id.`,
      );
    if (refused > 0)
      warn(
        `Marks (${type}) of ${profile}: left out ${count(refused, "record, which is", "records, which are")} not of this type.`,
      );
    if (records.size > 0) tables[type] = [...records.values()];
  }
  return marksSchema.parse(tables);
}

/** A profile need not have a table of every type, so a refused list is left out; the answer of the node goes to `warn`. */
async function tableOf(
  list: (type: MarkType) => Promise<readonly Mark[]>,
  type: MarkType,
  what: string,
  warn: (message: string) => void,
): Promise<readonly Mark[]> {
  try {
    return await list(type);
  } catch (error) {
    const isRefused = error instanceof RequestError && error.outcome === "refused";
    // Invalid credentials affect every table.
    if (!isRefused || error.status === 401 || error.status === 403) throw error;
    warn(`${what}: left out, since the node refused the list. ${error.message}`);
    return [];
  }
}

function recordOf({ id = 0, value, lifetime, age, status, protocol, exact: _, extra: __, ...key }: Mark) {
  const expired = status?.toLowerCase() === "expired";
  return {
    ...key,
    ...(protocol !== undefined && { protocol: typeof protocol === "string" ? protocol.toLowerCase() : protocol }),
    id,
    ...(value !== undefined && { value: Math.min(value, MAX_VALUE) }),
    ...(age !== undefined && { age }),
    ...(expired ? { expiredFor: 0 } : lifetime !== undefined && { lifetime }),
  };
}
