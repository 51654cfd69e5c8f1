import { z } from "zod";
import type { ActiveFault } from "../behaviour/faults";

/** A fault that was set, as operations show it. */
export const activeFault = z.object({
  id: z.int(),
  fault: z.looseObject({ kind: z.string() }),
  seen: z.int(),
  hits: z.int(),
  spent: z.boolean(),
});

/** A fault in the form of {@link activeFault}. */
export const showFault = ({ id, fault, seen, hits, spent }: ActiveFault) => ({ id, fault, seen, hits, spent });
