import type { Declared } from "../scenario";
import { CANARY } from "../simulation";
import { CLIENT } from "../world/machines";
import { namesIn } from "./preview-shows";
import type { Case, Promised } from "./promise";

/** No secret of a configuration appears in output, errors or state, and no secret argument in output or errors. */
export const secretsStaySecret: Promised = {
  number: 9,
  name: "secrets stay secret",
  judge: ({ world, record: { done, preview, run } }) => {
    const told = [...done.printed, ...done.errors, ...(preview?.printed ?? []), ...(preview?.errors ?? [])].join("\n");
    const ofPrograms = new Set(programsOf(world, run.stack).flatMap(textsOf));
    return [
      ...[CANARY, CLIENT.secretKey].flatMap((secret) => [
        ...(told.includes(secret) ? ["a secret appears in the output or an error"] : []),
        ...(JSON.stringify(done.after.resources).includes(secret) ? ["a secret appears in the state"] : []),
      ]),
      ...[...ofPrograms]
        .filter((secret) => namesIn(told, secret))
        .map((secret) => `the output or an error names ${secret}, which is secret`),
    ];
  },
};

/** Resources of all programs of a stack: what was secret once stays so. */
function programsOf({ scenario }: Case["world"], stack: number): Declared[] {
  const runs = scenario.turns.flatMap((turn) => (turn.kind === "runs" ? turn.runs : []));
  return runs.filter((run) => run.stack === stack).flatMap(({ program }) => program);
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
