import type { Delivery, FaultContext, FaultDefinition, FaultParameters } from "./fault-kind";
import { nodeFaults } from "./node-faults";
import { requestFaults } from "./request-faults";

/**
 * Every kind of fault. A new one is a new entry in one of the two lists: the schema of faults, the reference and the page's
 * form are made from it.
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
