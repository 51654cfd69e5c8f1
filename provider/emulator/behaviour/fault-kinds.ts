import {
  type Delivery,
  type FaultContext,
  type FaultDefinition,
  type FaultParameters,
  type FaultPreset,
  PRESET_GROUPS,
} from "./fault-kind";
import { nodeFaults } from "./node-faults";
import { requestFaults } from "./request-faults";

/**
 * Every kind of fault. A new one is a new entry in one of the two lists: the schema of faults, the reference and the page's
 * form and switches are made from it.
 */
export const FAULT_KINDS = { ...requestFaults, ...nodeFaults } satisfies Record<string, FaultDefinition>;

/** Name of a kind of fault. */
export type FaultKind = keyof typeof FAULT_KINDS;

/** Applies a fault to a request: what becomes of it. A parameter that the fault does not have has the default of its kind. */
export function strike(
  { kind, ...told }: FaultParameters & { readonly kind: FaultKind },
  context: Omit<FaultContext, "fault">,
): Promise<Delivery> {
  const { parameters, run }: FaultDefinition = FAULT_KINDS[kind];
  return run({ ...context, fault: { ...given(parameters), ...given(told) } });
}

/** The members that have a value. */
function given(parameters: object): FaultParameters {
  return Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined));
}

/** A preset with the whole fault that it switches on. */
export type KindPreset = FaultPreset & { readonly fault: { readonly kind: FaultKind } };

/** The presets of all kinds, group by group. */
export function faultPresets(): KindPreset[] {
  const all = Object.entries(FAULT_KINDS).flatMap(([kind, { presets = [] }]: [string, FaultDefinition]) =>
    presets.map((preset) => ({ ...preset, fault: { kind: kind as FaultKind, ...preset.fault } })),
  );
  return PRESET_GROUPS.flatMap((group) => all.filter((preset) => preset.group === group));
}
