import { formatDuration } from "../../client/pauses";
import { count, some } from "../../model/text";
import type { GroupEvents } from "../events";
import { passWave } from "../remedy";
import { entries, note, type Sentences, subject, them, warn, warning } from "./words";

/** Command that declares each address to be a machine of its own. */
const DISTINCT = "pulumi config set packetfilter:distinctNodes true";

/** Sentences about the run of a group. */
export const GROUPS: Sentences<keyof GroupEvents> = {
  mayBeOneMachine: ({ url, addresses }) =>
    warning(
      `${url}: its nodes have ${addresses} addresses, and two of them may be one machine: a node that leaves keeps what the others want. If each is a machine of its own, say so: ${DISTINCT}`,
    ),
  progress: ({ url, work, done, of, failed }) =>
    `Set ${url}, ${work}: ${done} of ${count(of, "node", "nodes")} done${failed > 0 ? `, ${failed} failed` : ""}`,
  notReached({ url, nodes, outcome, allowed, reasons }) {
    const isOne = nodes.length === 1;
    const left = isOne ? "it is left as it is" : "they are left as they are";
    const kept = isOne ? "its state is kept" : "their states are kept";
    const why = isOne ? "the node does not answer" : "the nodes do not answer";
    return warning(
      `Set ${url} on ${some(nodes)}: ${outcome === "left" ? left : kept}, since ${why}, and maxUnreachable allows ${allowed}. The next "pulumi up" completes ${them(nodes.length)}. ${reasons.join(" ")}`,
    );
  },
  paused: ({ url, wave, of, ms }) =>
    wave === undefined
      ? `Set ${url}: nodes went back to the entries that they had before; the pause is ${formatDuration(ms)}.`
      : `Set ${url}: wave ${wave} of ${of} is written; its pause is ${formatDuration(ms)}.`,
  nextSteps({ url, back, next, failed }) {
    const parts = [
      back ? `${namesOf(back)} had these entries before: up goes back to them at once` : [],
      next ? `wave ${next.wave} of ${next.of} (${namesOf(next.nodes)}) is next` : [],
    ].flat();
    if (failed) {
      const of = next ? "" : ` of ${failed.of}`;
      parts.push(`wave ${failed.wave}${of} (${namesOf(failed.nodes)}) did not pass: ${failed.reason}`);
      if (failed.isBlocked)
        parts.push(`the program now has another check, or none: up asks the former one first. ${passWave(url ?? "")}`);
    }
    return `${url}: ${parts.join("; ")}`;
  },
  changes: note(({ removes, inserts, changes, isEarly }) => {
    const parts = [
      removes.length > 0 ? `removes ${entries(removes.length)} (${some(removes)})` : [],
      inserts.length > 0 ? `inserts ${entries(inserts.length)} (${some(inserts)})` : [],
      changes.length > 0 ? `changes ${count(changes.length, "value", "values")} (${some(changes)})` : [],
    ].flat();
    return `up ${isEarly ? "" : "then "}${inWords(parts)}.`;
  }),
  leaves(event, where) {
    const { like, isForgotten } = event;
    const [all, kept] = [event.prefixes.length, event.kept.length];
    const what = `${subject(event, where)}: it leaves the group, and`;
    if (isForgotten)
      return `${what} up leaves ${entries(all)} there (onDestroy: "keep"); with onDestroy: "remove", "pulumi up" clears it.`;
    if (kept === 0) return `${what} up clears ${entries(all)} there.`;
    const rest = all > kept ? `; up clears ${entries(all - kept)} there` : "";
    return warning(
      `${what} ${count(kept, "entry stays", "entries stay")} there, since ${some(like)} ${like.length === 1 ? "has" : "have"} the same and may be the same machine${rest}. If each address is a machine of its own, say so: ${DISTINCT}; if not, onDestroy: "keep" in one run forgets it`,
    );
  },
  notCleared: warn(({ unfilled }) => {
    const why = unfilled ? `${some(unfilled)} could not be filled` : "not all waves have passed";
    return `not cleared yet, since ${why}. The next "pulumi up" goes on.`;
  }),
};

/** Number of nodes of a wave up to which they are named. */
const WAVE_NAMED = 3;

/** Names of the nodes of a wave for a line, or their number. */
function namesOf(nodes: readonly string[]): string {
  return nodes.length > WAVE_NAMED ? `${nodes.length} nodes` : some(nodes);
}

function inWords(parts: readonly string[]): string {
  const last = parts.at(-1) ?? "";
  return parts.length > 1 ? `${parts.slice(0, -1).join(", ")} and ${last}` : last;
}
