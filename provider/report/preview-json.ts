import { z } from "zod";
import type { JsonObject } from "../model/json";
import { ExcessError, plainData } from "../model/plain-data";
import { repeatedMember } from "../model/repeated-member";

const object = z
  .record(z.string(), z.unknown())
  .nullish()
  .transform((value) => value ?? {});
const state = z.object({
  parent: z.string().optional(),
  provider: z.string().optional(),
  inputs: object,
  outputs: object,
});
const step = z.object({
  op: z.string(),
  urn: z.string(),
  oldState: state.nullish(),
  newState: state.nullish(),
  replaceReasons: z.array(z.string()).nullish(),
  detailedDiff: z.record(z.string(), z.unknown()).nullish(),
});
const diagnostic = z.object({ message: z.string(), severity: z.string() });
const previewSchema = z.object({
  config: object,
  steps: z.array(step).nullish(),
  diagnostics: z.array(diagnostic).nullish(),
  changeSummary: z.record(z.string(), z.number()).nullish(),
});

/** The engine's record of a resource, before or after. */
export type PreviewState = z.output<typeof state>;

/** One thing that the engine is about to do. */
export type PreviewStep = z.output<typeof step>;

/** Output of `pulumi preview --json`. */
export interface Preview {
  /** The stack's configuration by key with its namespace; secrets are `[secret]`. */
  readonly config: JsonObject;
  readonly steps: readonly PreviewStep[];
  readonly diagnostics: readonly z.output<typeof diagnostic>[];
}

/** Reads what `pulumi preview --json` prints: one object and nothing around it. @throws {Error} for anything else */
export function parsePreview(text: string): Preview {
  if (text.trim() === "")
    throw new Error("The preview is empty: pulumi failed before it printed one, and said why on standard error.");
  const parsed = previewSchema.safeParse(json(text));
  const { config = {}, steps, diagnostics, changeSummary } = parsed.data ?? {};
  if (!parsed.success || (!steps && !diagnostics && !changeSummary))
    throw new Error(
      'This is JSON, but not of a preview, which has "steps" and "changeSummary": give the output of "pulumi preview --json".',
    );
  const preview = { config, steps: steps ?? [], diagnostics: diagnostics ?? [] };
  const unknown = preview.steps.find(({ op }) => !CHANGES.has(op) && !STAYS.has(op));
  if (unknown)
    throw new Error(
      `The preview has the operation ${JSON.stringify(unknown.op)}, which this version does not know: report it with a newer one.`,
    );
  refuseUnshown(preview, changeSummary ?? {});
  return preview;
}

/** Operations of the engine that change a resource, and those that do not. */
const CHANGES = new Set(
  "create update delete replace create-replacement delete-replaced import import-replacement discard discard-replaced".split(
    " ",
  ),
);
const STAYS = new Set("same refresh read read-replacement remove-pending-replace".split(" "));

/** Refuses a summary of changes without any step of one. A preview that failed may have some of its steps. */
function refuseUnshown({ steps, diagnostics }: Preview, summary: Readonly<Record<string, number>>): void {
  const announced = Object.entries(summary).filter(([op, number]) => number > 0 && !STAYS.has(op));
  if (announced.length === 0 || steps.some(({ op }) => CHANGES.has(op))) return;
  if (diagnostics.some(({ severity }) => severity === "error")) return;
  const counts = announced.map(([op, number]) => `${number} ${op}`).join(", ");
  throw new Error(
    `The preview announces changes (${counts}) and has no step of any: give the whole output of "pulumi preview --json".`,
  );
}

function json(given: string): unknown {
  const text = given.replace(/^\uFEFF/, "");
  const value = plain(text);
  const again = repeatedMember(text, value);
  if (again)
    throw new Error(`The preview has the member ${JSON.stringify(again.name)} twice: no rule says which one counts.`);
  return value;
}

function plain(text: string): unknown {
  try {
    return plainData(text);
  } catch (error) {
    if (error instanceof ExcessError) throw new Error(`The preview ${error.message}: it is not reported.`);
    const hint = /^\s*\{/.test(text)
      ? "it ends early or goes on behind the object (PULUMI_ENABLE_STREAMING_JSON_PREVIEW prints events, which are something else)"
      : "it begins with something else (keep standard error out of it)";
    throw new Error(`This is not the one JSON object of "pulumi preview --json": ${hint}.`);
  }
}

export interface Urn {
  readonly stack: string;
  readonly project: string;
  /** The type of the resource, without those of its parents. */
  readonly type: string;
  /** The types of its parents, the outermost first. */
  readonly parents: readonly string[];
  readonly name: string;
}

/** Parses a URN: `urn:pulumi:STACK::PROJECT::PARENT$TYPE::NAME`. A name may hold anything. */
export function parseUrn(urn: string): Urn {
  const [, stack = "", project = "", types = "", name = urn] =
    /^urn:pulumi:(.*?)::(.*?)::(.*?)::(.*)$/s.exec(urn) ?? [];
  const chain = types.split("$");
  return { stack, project, type: chain.at(-1) ?? "", parents: chain.slice(0, -1), name };
}
