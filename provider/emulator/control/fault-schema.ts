import { z } from "zod";
import { FAULT_KINDS, type FaultKind } from "../behaviour/fault-kinds";
import { type ActiveFault, faultSchema } from "../behaviour/faults";

const KINDS = Object.keys(FAULT_KINDS) as [FaultKind, ...FaultKind[]];

/** A fault that was set, as operations show it. */
export const activeFault = z.object({
  id: z.int(),
  fault: faultSchema.and(z.object({ kind: z.enum(KINDS) })),
  seen: z.int(),
  hits: z.int(),
  spent: z.boolean(),
});

/** A fault that struck nothing. */
export const unmetFault = activeFault.pick({ id: true, fault: true }).extend({ reason: z.string() });

/** A fault in the form of {@link activeFault}. */
export const showFault = ({ id, fault, seen, hits, spent }: ActiveFault) => ({ id, fault, seen, hits, spent });
