import { isRecord } from "../../wire/shape";
import type { Answer } from "../asking/answer";
import { isRefused } from "../asking/trial";
import { point } from "../point";

/** How the receiver writes its four error texts. */
export const signalingErrors = point({
  name: "signaling-errors",
  title: "signaling: errors",
  needs: "receiver",
  assumes: "the four texts at any status, as text or under `error`, `message` or `detail`",
  finds: ["signalingErrors"],
  ask: (bench) => bench.trial(),
  judge: ({ wrongStop, idleStop, again }) => {
    const silent = [wrongStop, idleStop, again].filter((answer) => !isRefused(answer));
    return {
      node: silent.length > 0 ? `no error for ${silent.length} of three mistakes` : `as ${formOf(idleStop)}`,
      evidence: [wrongStop, idleStop, again].map(({ evidence }) => evidence),
    };
  },
  dialect: ({ idleStop, again }) => {
    const refused = [idleStop, again].find(isRefused);
    return { signalingErrors: refused && formOf(refused) };
  },
});

function formOf({ status, errorBody }: Answer): string {
  const names = isRecord(errorBody) ? Object.keys(errorBody).map((name) => name.toLowerCase()) : undefined;
  if (names === undefined) return status >= 300 ? "status" : "text-200";
  if (status < 300) return "json-200";
  return names.includes("error") ? "json" : names.includes("message") ? "json-message" : "json-detail";
}
