import { z } from "zod";
import { stateSchema } from "./state";

/** The schema of a state as JSON Schema (draft 2020-12), for editors and other languages. */
export function stateJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(stateSchema, { io: "input", unrepresentable: "any" });
  return { $schema, title: "State of a pulumi-packetfilter emulator", ...schema };
}
