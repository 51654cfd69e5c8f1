import { SetWriter } from "../../batch/set-writer";
import { SharedReads } from "../../batch/shared-reads";
import { DEFAULTS, formatUrl, type NodeClient, type PrefixSetUrl } from "../../client";
import { systemClock } from "../../client/clock";
import { messageOf } from "../../model/errors";
import type { CanonicalPrefix } from "../../model/prefix";
import type { PrefixMap } from "../../model/prefix-map";
import { count } from "../../model/text";
import type { CliIo } from "../cli-io";

/** What is to be there at once, and what is to be gone. */
export interface Wanted {
  readonly put: PrefixMap;
  readonly remove: ReadonlySet<CanonicalPrefix>;
}

/**
 * Makes a set of a node hold what the file says of these prefixes: one list, what is missing or different, one commit, and
 * a list that shows it. What is there already is not sent, and committed all the same: a command that was killed may have
 * staged it.
 *
 * @returns a sentence that says what was done
 * @throws {Error} with the node and what to do; the file stays as it was written
 */
export async function sendNow(client: NodeClient, url: PrefixSetUrl, wanted: Wanted, io: CliIo): Promise<string> {
  const label = `${formatUrl(url)} on ${client.endpoint}`;
  const set = client.set(url);
  const writer = new SetWriter({
    set,
    label,
    deadlineMs: DEFAULTS.deadlineMs,
    commitCoalesceMs: 0,
    clock: systemClock,
    wanted: wanted.put,
    notices: { warn: (message) => io.err(`${message}\n`) },
    reads: new SharedReads(() => set.observe()),
  });
  const touched = new Set([...wanted.put.keys(), ...wanted.remove]);
  try {
    const { changes } = await writer.submit({ plan: () => ({ ...wanted, shown: touched }) });
    const before = touched.size - changes.size;
    const there = before > 0 ? `, ${count(before, "was", "were")} so before` : "";
    return `${label}: ${count(changes.size, "entry", "entries")} changed and committed${there}.`;
  } catch (error) {
    throw new Error(
      `${messageOf(error)} The file is written; the node ${client.endpoint} may not have ${label.split(" ")[0]} so yet: run the same command again, or "pulumi up".`,
      { cause: error },
    );
  }
}
