import { SECRET_MARK, SECRETS_KEY } from "../../../provider/engine/secret-names";
import { SIGNATURE } from "../engine/program";
import type { Kept } from "../engine/state";
import type { Declared } from "../scenario";
import { CANARY, type RunRecord } from "../simulation";
import { CLIENT } from "../world/machines";
import { namesIn } from "./preview-shows";
import type { Case, Promised } from "./promise";

/** No secret of a configuration appears in output, errors or state, and no secret argument in output or errors, nor in the clear in the state. */
export const secretsStaySecret: Promised = {
  number: 9,
  name: "secrets stay secret",
  judge: ({ world, record: { done, preview, run } }) => {
    const told = [...done.printed, ...done.errors, ...(preview?.printed ?? []), ...(preview?.errors ?? [])].join("\n");
    const ofPrograms = new Set(programsOf(world, run.stack).flatMap(textsOf));
    const applied = world.records.findLast((it) => it.run.stack === run.stack && isApplied(it))?.run.program ?? [];
    return [
      ...[CANARY, CLIENT.secretKey].flatMap((secret) => [
        ...(told.includes(secret) ? ["a secret appears in the output or an error"] : []),
        ...(JSON.stringify(done.after.resources).includes(secret) ? ["a secret appears in the state"] : []),
      ]),
      ...[...ofPrograms]
        .filter((secret) => namesIn(told, secret))
        .map((secret) => `the output or an error names ${secret}, which is secret`),
      ...applied.flatMap((declared) => {
        const kept = done.after.resources.filter((it) => it.name === declared.name).map(inTheClear);
        return textsOf(declared)
          .filter((secret) => kept.some((text) => namesIn(text, secret)))
          .map((secret) => `the state of ${declared.name} has ${secret} in the clear, which is secret`);
      }),
    ];
  },
};

/** Resources of all programs of a stack until now: what was secret once stays so. */
function programsOf({ records }: Case["world"], stack: number): readonly Declared[] {
  return records.filter(({ run }) => run.stack === stack).flatMap(({ run }) => run.program);
}

/** True for a run after which the state has what the program gives. */
function isApplied({ run: { command, options }, done }: RunRecord): boolean {
  const isWhole = options.targets === undefined && options.excludes === undefined;
  return command === "up" && isWhole && done.errors.length === 0 && !done.wasKilled && !done.wasCancelled;
}

/** A resource in the state, without what the engine encrypts there: of a dynamic resource all that the classes have marked. */
function inTheClear({ inputs, outputs }: Kept): string {
  const marks = Object.entries(inputs).flatMap(([name, value]) => (value === SECRET_MARK ? name : []));
  const marked = [...marks, ...[inputs[SECRETS_KEY]].flat()];
  return JSON.stringify([inputs, outputs], (name, value) =>
    marked.includes(name) || SIGNATURE in Object(value) ? undefined : value,
  );
}

/** Texts of the secret arguments of a resource: names and contents. */
function textsOf({ args, options }: Declared): string[] {
  const texts = (value: unknown): string[] => {
    if (typeof value === "string") return [value];
    if (typeof value !== "object" || value === null) return [];
    return Object.entries(value).flatMap(([name, member]) => [...(/[.:]/.test(name) ? [name] : []), ...texts(member)]);
  };
  // The name of a node is none.
  return (options?.secret ?? []).flatMap((name) => texts(args[name])).map((text) => text.replace("{node}", ""));
}
