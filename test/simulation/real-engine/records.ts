import type { JsonObject } from "../../../provider/model/json";
import type { Step } from "../engine/deployment";
import type { Kept } from "../engine/state";
import type { EngineOutcome, EngineResource } from "./engine";

/** Failures, as the simulated engine names them: one sentence for each resource, or the engine's own. */
export function errorsOf({ failed, error, diagnostics }: EngineOutcome): string[] {
  if (!failed) return [];
  const told = diagnostics.filter(({ severity, about }) => severity === "error" && about !== "");
  return told.length > 0 ? told.map(({ message }) => message) : [error ?? "failed"];
}

/** Lines of providers and engine; a warning begins with `warning: `. */
export function printedOf({ diagnostics }: EngineOutcome): string[] {
  return diagnostics
    .filter(({ severity }) => severity !== "error")
    .map(({ severity, message }) => (severity === "warning" ? `warning: ${message}` : message));
}

/** Steps in the words of the simulated engine. The engine announces a replacement in three; its own `replace` comes after the create. */
export function stepsOf({ steps }: EngineOutcome): Step[] {
  const OPS: Readonly<Record<string, Step["op"]>> = {
    create: "create",
    update: "update",
    "create-replacement": "replace",
    delete: "delete",
    "delete-replaced": "delete",
    refresh: "refresh",
  };
  return steps.flatMap(({ op, name, type, old, inputs }): Step[] => {
    const known = OPS[op];
    if (!known) return [];
    const before = old && { old: stateOf(old) };
    return [
      { op: known, name, type, ...before, ...(inputs && known !== "delete" && { inputs: inputs as JsonObject }) },
    ];
  });
}

/** A resource of a state in the words of the simulated engine. */
export function stateOf(resource: EngineResource): Kept {
  const { type, name, id, inputs, outputs, protect = false, retainOnDelete = false } = resource;
  return {
    type,
    name,
    urn: "",
    id,
    inputs: inputs as JsonObject,
    outputs: outputs as JsonObject,
    protect,
    retainOnDelete,
    instance: undefined,
    ...(resource.initErrors && { failed: true as const }),
    ...(resource.pendingDelete && { replaced: true as const }),
  };
}
