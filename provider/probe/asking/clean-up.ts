import { isUnreachable, RequestError } from "../../client/errors";
import { DEFAULTS, type NodeOptions } from "../../client/options";
import { messageOf } from "../../model/errors";
import { formatUrl } from "../../model/resource-url";
import { some } from "../../model/text";
import { commitCommand, dataCommand, deleteEntry, NODE_PATH } from "../../wire/node-command";
import type { LeftBehind } from "../finding";
import { TIMING } from "../timing";
import type { Bench } from "./bench";
import type { Receiver } from "./receiver";
import { ForeignEntries, type WorkSet } from "./work-set";

/** Prefixes up to this number stand in the command that removes them. */
const SHOWN = 50;

/**
 * Takes out of the set, and stops at the receiver, whatever the probe may have left there, for as long as there is hope:
 * either may be gone for a while. Goes on when the user has asked to stop.
 *
 * @param doubtMs How long to wait first for a request that was given up on, see {@link doubtAfter}.
 * @returns what may be left.
 */
export async function cleanUp(bench: Bench, doubtMs: number): Promise<LeftBehind[]> {
  const { work, receiver } = bench;
  const left: LeftBehind[] = [];
  if (isUnclean(bench)) await bench.pause(doubtMs, { calm: true });
  const inSet = work?.isTouched ? await repeatedly(bench, () => work.clear({ calm: true })) : undefined;
  if (work && inSet !== undefined) left.push(leftIn(work, bench.endpoint, inSet));
  const active = await repeatedly(bench, async () => receiver?.clear({ calm: true }));
  if (receiver && active !== undefined) left.push(leftAt(receiver, active));
  return left;
}

/** True where something may have to be taken out or stopped. */
export function isUnclean({ work, receiver }: Bench): boolean {
  return work?.isTouched === true || (receiver?.remains.length ?? 0) > 0;
}

/**
 * Milliseconds in which a request that was given up on may still have its effect: a time-out more where the node was slow or
 * broke off, a second where the user ended the probe in between and waits.
 */
export function doubtAfter(error: unknown, { timeoutMs = DEFAULTS.timeoutMs }: NodeOptions): number {
  if (isUnreachable(error)) return timeoutMs;
  return error instanceof RequestError && error.code === "request-cancelled"
    ? Math.min(timeoutMs, TIMING.afterStop)
    : 0;
}

/** Tries until it works. Returns why it did not, if it never did. */
async function repeatedly(bench: Bench, clear: () => Promise<void>): Promise<string | undefined> {
  let why = "";
  for (const pause of [0, ...TIMING.cleanUp]) {
    await bench.pause(pause, { calm: true });
    try {
      await clear();
      return undefined;
    } catch (error) {
      why = messageOf(error);
      if (error instanceof ForeignEntries) break;
    }
  }
  return why;
}

function leftAt({ endpoint, remains }: Receiver, why: string): LeftBehind {
  const body = JSON.stringify({ IP_prefix: remains });
  const remedy = [
    `Signalings at ${endpoint} could not be stopped: ${why}`,
    `${remains.join(", ")} may be active. Once the receiver answers again, stop each that is, with your client id and secret key:`,
    `  curl -sS ${endpoint}/CLIENT-ID/SECRET-KEY/stop -H 'Content-Type: application/json' -d '${body}'`,
  ].join("\n");
  return { where: endpoint, prefixes: remains, remedy };
}

function leftIn(work: WorkSet, endpoint: string, why: string): LeftBehind {
  const where = formatUrl(work.url);
  const prefixes = work.remains;
  const named = prefixes.slice(0, SHOWN);
  const { head, tail } = dataCommand(work.url, "delete");
  const remove = head + named.map(deleteEntry).join(",") + tail;
  const send = (body: string) => `  curl -sS ${endpoint}${NODE_PATH} -H 'Content-Type: application/json' -d '${body}'`;
  const more =
    prefixes.length > SHOWN
      ? " The others lie in 192.0.2.0/24, 198.51.100.0/24, 203.0.113.0/24 and 2001:db8::/32, too."
      : "";
  const remedy = [
    `Set ${where} on ${endpoint} could not be cleared: ${why}`,
    prefixes.length === 0
      ? "No prefix is left in it that is known of; list it once the node answers again."
      : `${some(prefixes, SHOWN)} may be in it, or staged.${more} Once the node answers again, remove them, with its credentials if it wants any:`,
    ...(prefixes.length === 0 ? [] : [send(remove), send(commitCommand(work.url))]),
  ].join("\n");
  return { where, prefixes, remedy };
}
