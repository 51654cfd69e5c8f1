import { z } from "zod";
import type { JsonObject } from "../model/json";
import type { ResourceChange, SignalingReport } from "./model";
import type { PreviewStep } from "./preview-json";
import { type Known, membersBefore, placeOf, RECEIVER, readList, withoutSecrets } from "./set-content";

/**
 * Effect of a step on a `CloudSignaling`; where it is deleted or replaced, the prefixes that stop. A resource that moves to another
 * receiver starts everything there. If that replaces it, it stops at the old one what it started; an update stops nothing there.
 */
export function signalingChange(step: PreviewStep, resource: ResourceChange, known: Known) {
  const old = step.oldState && membersBefore(step.oldState);
  const now = step.newState && withoutSecrets(step.newState.inputs);
  const from = old && placeOf({ named: old.receiver, endpoint: old.endpoint }, known, RECEIVER);
  const to = now && placeOf({ named: now.receiver, endpoint: undefined }, known, RECEIVER);
  const isMove = from && to && (from.endpoint ?? from.label) !== (to.endpoint ?? to.label);
  const before = readList(old?.prefixes ?? []);
  const after = readList(now ? now.prefixes : []);
  const goneOf = (prefixes: readonly string[]) => prefixes.filter((prefix) => isMove || !isIn(after.prefixes, prefix));
  const isUpdate = resource.operation === "update";
  const stops = isUpdate && isMove ? "none" : (isUpdate ? now : old)?.stops;
  const gone = goneOf(before.prefixes);
  const own: readonly string[] = stops === "all" ? gone : stops === "none" ? [] : readList(old?.started ?? []).prefixes;
  const stopped = after.isUnknown && !isMove ? [] : gone.filter((prefix) => isIn(own, prefix));
  const note = noteOf(now ?? old ?? {});
  const label = to?.label ?? from?.label ?? RECEIVER.unnamed;
  const report: SignalingReport = {
    receiver: label,
    resource,
    started: after.prefixes.filter((prefix) => isMove || !isIn(before.prefixes, prefix)),
    stopped,
    left: gone.filter((prefix) => !isIn(stopped, prefix)),
    ...(Object.keys(note).length > 0 && { note }),
    unknown: after.isUnknown,
  };
  const { operation, type } = resource;
  if (operation !== "delete" && operation !== "replace") return { report, whole: undefined };
  const change = {
    operation,
    type,
    place: from?.label ?? label,
    ...(isMove && { becomes: to.label }),
    reasons: step.replaceReasons ?? [],
    kept: stopped.length === 0,
  };
  return { report, whole: { prefixes: before.prefixes, change } };
}

function isIn(prefixes: readonly string[], prefix: string): boolean {
  return prefixes.includes(prefix);
}

const text = z.string().optional().catch(undefined);

function noteOf({ reason, ticket }: JsonObject): NonNullable<SignalingReport["note"]> {
  const [why, who] = [text.parse(reason), text.parse(ticket)];
  return { ...(why !== undefined && { reason: why }), ...(who !== undefined && { ticket: who }) };
}
