import { readFile } from "node:fs/promises";
import { z } from "zod";
import { messageOf } from "../../model/errors";
import { isObject } from "../../model/json";
import { ExcessError, plainData } from "../../model/plain-data";
import { pick, seededRandom } from "../time/random";
import { strictly } from "../validation/strict";
import { sharedNames } from "./list-members";
import { LIST_SWITCHES } from "./list-switches";
import { REFUSAL_SWITCHES, silentRefusals } from "./refusal-switches";
import type { Dialect } from "./schema-types";
import { SIGNALING_SWITCHES, silentSignaling } from "./signaling-switches";
import type { Switch } from "./switch";
import { WRITE_SWITCHES } from "./write-switches";

export type { Dialect } from "./schema-types";
export type { Switch } from "./switch";

/**
 * Every open point of the contract as a switch. The first option is the default. No option is a vendor's behaviour; each is
 * a behaviour that the contract allows.
 */
export const SWITCHES = {
  ...LIST_SWITCHES,
  ...REFUSAL_SWITCHES,
  ...WRITE_SWITCHES,
  ...SIGNALING_SWITCHES,
} satisfies Record<string, Switch>;

/** Name of a switch. */
export type SwitchName = keyof typeof SWITCHES;

type Schemas = { [K in SwitchName]: (typeof SWITCHES)[K]["schema"] };

/** The settings of all switches: strict, each with its default, without refusals that read as successes and names that two members share. */
export const dialectSchema = z
  .strictObject(Object.fromEntries(Object.entries(SWITCHES).map(([name, { schema }]) => [name, schema])) as Schemas)
  .superRefine((settings, context) => {
    for (const { path, message } of [
      ...silentRefusals(settings),
      ...silentSignaling(settings),
      ...sharedNames(settings),
    ]) {
      context.addIssue({ code: "custom", path: [path], message, input: settings });
    }
  })
  .meta({ id: "Dialect", description: "Settings of the open points of the contract. Each switch has a default." });

/** Switches of a dialect; absent ones have their defaults. */
export interface DialectSettings extends Partial<Dialect> {}

/** Sensible sets of switches, by name. */
export const DIALECTS: Readonly<
  Record<"default" | "verbose" | "terse" | "always-200" | "strict" | "lenient" | "eventual" | "small", DialectSettings>
> = {
  /** Every switch as it is by default. */
  default: {},
  /** Long member names and a bare array: a node written for people. */
  verbose: {
    listEnvelope: "array",
    prefixKey: "prefix",
    valueKey: "value",
    markKeys: "long",
    markAge: "shown",
    markExpired: "shown",
    success: "count",
  },
  /** As few bytes as possible. */
  terse: {
    listEnvelope: "array",
    entryForm: "string",
    singleAddress: "bare",
    success: "empty",
    statusForm: "bare",
    errorForm: "text",
  },
  /** Errors and successes all with status 200. */
  "always-200": { errorForm: "json-200", signalingErrors: "text-200", success: "text" },
  /** Refuses everything that the contract allows to refuse. */
  strict: {
    insertExisting: "error",
    deleteAbsent: "error",
    emptyCommit: "error",
    trailingSlash: "strict",
    userArena: "required",
  },
  /** Accepts and repairs everything that the contract allows to accept. */
  lenient: { hostBits: "mask", refusedEntry: "rest", signalingPartial: "valid-ones", listShows: "staged" },
  /** Answers before a change has its effect. */
  eventual: { commitDelay: 200, statusDelay: 200 },
  /** Small limits. */
  small: { maxEntriesPerRequest: 100, maxBodyBytes: 16_384 },
};

/** Name of a set of switches, or `seed:N`: a random set, the same for the same N. */
export type DialectName = keyof typeof DIALECTS | `seed:${number}`;

/**
 * The dialect of a name or of some settings.
 *
 * @throws {TypeError} for an unknown name, switch or setting.
 * @example
 * ```ts
 * dialect("seed:42");
 * dialect({ listShows: "staged" });
 * ```
 */
export function dialect(choice: string | DialectSettings = "default"): Dialect {
  if (typeof choice !== "string") return parseDialect(choice);
  const seed = /^seed:(\d{1,10})$/.exec(choice)?.[1];
  if (seed !== undefined) return randomDialect(Number(seed));
  const named = Object.entries(DIALECTS).find(([name]) => name === choice);
  if (named) return parseDialect(named[1]);
  throw new TypeError(
    `Unknown dialect ${JSON.stringify(choice)}: write ${Object.keys(DIALECTS).join(", ")} or seed:N.`,
  );
}

/**
 * The switches that differ from their default, for the report of a failing dialect.
 *
 * @example
 * ```ts
 * deviations(dialect({ listShows: "staged" }));   // { listShows: "staged" }
 * ```
 */
export function deviations(of: Dialect): DialectSettings {
  const normal = parseDialect({});
  return Object.fromEntries(Object.entries(of).filter(([name, value]) => normal[name as SwitchName] !== value));
}

/** One switch with an alternative setting. */
export interface SingleSwitch {
  /** The switch. */
  readonly name: SwitchName;
  /** Its setting, other than the default. */
  readonly setting: string | number;
  /** True if a correct client refuses, fails, or needs settings for it. */
  readonly refused: boolean;
}

/**
 * One dialect for each alternative of each switch, with only that one set, for a client's contract tests.
 *
 * @example
 * ```ts
 * for (const { name, setting } of singleSwitchDialects()) {
 *   await using emulator = await startEmulator({ dialect: { [name]: setting } });
 * }
 * ```
 */
export function singleSwitchDialects(): SingleSwitch[] {
  return Object.entries(SWITCHES).flatMap(([name, it]: [string, Switch]) => {
    const settings = (values: readonly unknown[] = [], refused: boolean) =>
      values.map((setting) => ({ name: name as SwitchName, setting: setting as string | number, refused }));
    return [...settings(it.alternatives, false), ...settings(it.refusals, true)];
  });
}

function randomDialect(seed: number): Dialect {
  const random = seededRandom(seed);
  const drawn = Object.entries(SWITCHES).flatMap(
    ([name, { schema, alternatives, isDrawn = true }]: [string, Switch]) =>
      isDrawn ? [[name, pick(random, [schema.parse(undefined), ...alternatives])]] : [],
  );
  return parseDialect(Object.fromEntries(drawn));
}

/**
 * The dialect of an argument of the command line: a name, `seed:N`, or a JSON file with the switches, either alone or under
 * `dialect` beside other members, as `probe --out` writes them. A name precedes a file with the same name.
 *
 * @throws {TypeError} if it is none of these, or a switch or its setting is unknown.
 */
export async function readDialect(text: string): Promise<Dialect> {
  if (text in DIALECTS || /^seed:/.test(text)) return dialect(text);
  const source = await readFile(text, "utf8").catch((error: unknown) => {
    const choice = `write ${Object.keys(DIALECTS).join(", ")}, seed:N, or a file with switches`;
    throw new TypeError(`Unknown dialect ${JSON.stringify(text)}: ${choice} (${messageOf(error)}).`);
  });
  let content: unknown;
  try {
    content = plainData(source);
  } catch (error) {
    if (error instanceof ExcessError) throw new TypeError(`The dialect ${text} ${error.message}.`);
    throw new TypeError(`The dialect ${text} is not JSON: ${messageOf(error)}.`);
  }
  try {
    return parseDialect(isObject(content) && "dialect" in content ? content.dialect : content);
  } catch (error) {
    throw new TypeError(`${text}: ${messageOf(error)}`);
  }
}

/** Reads switches of a file or an argument. @throws {TypeError} naming the unknown switch or value, and the likely one. */
function parseDialect(settings: unknown): Dialect {
  return strictly(dialectSchema, settings, "The dialect is not valid");
}
