import { z } from "zod";
import { MAX_VALUE } from "../../model/entry";
import { nameProblem } from "../../model/resource-url";
import { marksSchema } from "../marks";
import { rulesSchema } from "../rules/rule-schema";
import { bounded } from "../validation/bounded";
import { inheritedNameProblem, prefixText, strictly } from "../validation/strict";

const name = z.string().superRefine((text, context) => {
  const problem = nameProblem(text) ?? inheritedNameProblem(text);
  if (problem) context.addIssue({ code: "custom", message: `the name ${JSON.stringify(text)} ${problem}` });
});

/** Id and secret are segments of a path, percent-encoded there, so that they may hold any characters. */
const segment = z
  .string()
  .min(1, { error: "must not be empty" })
  .refine((text) => text !== "." && text !== "..", { error: 'must not be "." or "..", which no url carries' });

/** A segment that names a member of objects: signalings are told by client. */
const clientId = segment.superRefine((text, context) => {
  const problem = inheritedNameProblem(text);
  if (problem) context.addIssue({ code: "custom", message: `the name ${JSON.stringify(text)} ${problem}` });
});

const prefix = prefixText.describe("An IPv4 or IPv6 prefix in CIDR form; a bare address is its /32 or /128.");

const value = z.int().min(0).max(MAX_VALUE);

const entries = bounded(z.record(prefix, value).describe("Applied entries of a prefix-set: prefix to value."));

const prefixes = bounded(z.array(prefix));

const record = z.record(z.string(), z.json());

const profile = z
  .strictObject({
    prefixes: prefixes.optional().describe("Recipient prefixes that are bound to the profile."),
    rules: rulesSchema.optional().describe("Rules in their order."),
    sets: z.record(name, entries).optional().describe("Local prefix-sets."),
    marks: marksSchema.optional().describe("Marks that rules have made."),
    extra: record.optional().describe("Further members of the profile's record in the list of its arena."),
  })
  .describe("A profile: bound prefixes, ordered rules, local sets and marks.");

const arena = z
  .strictObject({
    sets: z.record(name, entries).optional().describe("Global prefix-sets."),
    profiles: z.record(name, profile).optional().describe("Profiles by name."),
  })
  .describe("An arena: global sets and profiles.");

const testClient = z
  .strictObject({
    clientId: clientId.describe("Id of the client."),
    secretKey: segment.describe("Secret of the client."),
    prefixes: z
      .array(prefix)
      .min(1)
      .describe("Prefixes that the client may signal, including longer ones within them."),
    active: prefixes.optional().describe("Prefixes whose signaling is active."),
  })
  .describe("A client of the test deployment, whose signalings move no prefix.");

const client = z
  .strictObject({
    ...testClient.shape,
    arena: name
      .optional()
      .describe("Arena whose bindings signaling changes; without it a signaling is recorded without effect."),
    idleProfile: name.optional().describe("The profile of prefixes without active signaling."),
    activeProfile: name.optional().describe("The profile of prefixes with active signaling."),
  })
  .refine((it) => [it.arena, it.idleProfile, it.activeProfile].filter((part) => part !== undefined).length % 3 === 0, {
    message: "give `arena`, `idleProfile` and `activeProfile` together, or none of them",
  })
  .describe("A client of the signaling API, with the two profiles between which its prefixes move.");

/**
 * Content of an emulator: one schema in code, in `--state` files and over the control API. All members are optional; without
 * `signaling.clients` or `signaling.testClients` an emulator has the default ones.
 *
 * @example
 * ```yaml
 * arenas:
 *   edge:
 *     sets: { blocked: { 192.0.2.0/24: 1 } }
 *     profiles: { web: { prefixes: [198.51.100.0/24], sets: { blocked: {} } } }
 * ```
 */
export const stateSchema = z
  .strictObject({
    $schema: z.string().optional().describe("For editors; ignored."),
    arenas: z.record(name, arena).optional().describe("Arenas by name."),
    signaling: z
      .strictObject({
        clients: z.array(client).min(1).optional().describe("The clients of the receiver."),
        testClients: z.array(testClient).length(2).optional().describe("The two clients of the test deployment."),
      })
      .optional()
      .describe("Signaling clients and their active prefixes."),
    staged: z
      .record(z.string(), bounded(z.record(prefix, value.nullable())))
      .optional()
      .describe(
        "Staged changes that wait for a commit, by the url of the set: prefix to new value, null to remove it.",
      ),
  })
  .describe("State of a pulumi-packetfilter emulator");

export type { EmulatorState } from "./schema-types";

export type ParsedState = z.output<typeof stateSchema>;

export type SignalingClientState = z.output<typeof client>;

/**
 * Thrown if a state cannot be loaded; `message` names the place in the state. No part of it is loaded.
 *
 * @example
 * ```ts
 * await startEmulator({ state: { arenas: { edge: { sets: { blocked: { "192.0.2.1/24": 1 } } } } } });   // StateError: host bits
 * ```
 */
export class StateError extends TypeError {
  override readonly name = "StateError";
  /** Kind of the error, for programs that do not share the class. */
  readonly code = "invalid-state";
}

/** States read from a file and not changed since. */
const read = new WeakMap<object, ParsedState>();

/** As {@link parseState}, for a state that will not be changed: it is not checked again when it is loaded. */
export function readState(input: unknown): ParsedState {
  const state = parseState(input);
  read.set(state, state);
  return state;
}

/** Reads a state from parsed JSON or YAML. @throws {StateError} naming every mistake. */
export function parseState(input: unknown): ParsedState {
  const readBefore = typeof input === "object" && input !== null ? read.get(input) : undefined;
  return readBefore ?? strictly(stateSchema, input, "The state is not valid", StateError);
}

/** The schema of a state as JSON Schema (draft 2020-12), for editors and other languages. */
export function stateJsonSchema(): Record<string, unknown> {
  const { $schema, ...schema } = z.toJSONSchema(stateSchema, { io: "input", unrepresentable: "any" });
  return { $schema, title: "State of a pulumi-packetfilter emulator", ...schema };
}
