import { z } from "zod";
import { Prefix, PrefixError } from "../../provider/model/prefix";

/** A prefix or address as a text, read into a {@link Prefix}. */
export const prefix = z.string().transform((text, context) => {
  try {
    return Prefix.parse(text);
  } catch (error) {
    if (!(error instanceof PrefixError)) throw error;
    context.addIssue({ code: "custom", message: error.message });
    return z.NEVER;
  }
});

/** A pattern for set addresses: `*` stays within one name, `**` does not. */
export const setPattern = z
  .string()
  .regex(/^prefixset:\/\//, 'a pattern for sets begins with "prefixset://", as in prefixset://*/blocked*')
  .superRefine((pattern, context) => {
    // Names may have brackets.
    const [bad] = /[\s?#"'\\]/.exec(pattern) ?? [];
    if (bad === undefined) return;
    const message = `contains ${JSON.stringify(bad)}, which no name has: only \`*\` and \`**\` stand for other characters`;
    context.addIssue({ code: "custom", message });
  })
  .refine(matchesSome, "matches no set: write arena and set, or arena, profile and set, or ** for anything");

/** True for a pattern with as many names as some set has. */
function matchesSome(pattern: string): boolean {
  const names = pattern.slice("prefixset://".length).split("/");
  return pattern.includes("**") || (names.every((name) => name !== "") && [2, 3].includes(names.length));
}

/** A text that says something. */
export const words = z.string().regex(/\S/, "is empty");

/** A pattern for stack names. */
export const stackPattern = z
  .string()
  .min(1)
  .refine(
    (pattern) => !/[\s/?#[\]{}]/.test(pattern),
    "matches no stack: write its name without organisation and project; only `*` stands for other characters",
  );

/** A host as it stands in an address: a name, or an IP address in canonical form. */
export const host = z
  .string()
  .min(1)
  .refine(isHost, 'is not the host of an address: write node.example.net, without scheme, port, path or "*"');

function isHost(text: string): boolean {
  if (text.includes("*")) return false;
  try {
    return hostOf(new URL(`http://${text.includes(":") ? `[${text}]` : text}/`)) === text.toLowerCase();
  } catch {
    return false;
  }
}

/** The host of an address, without the brackets of IPv6. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, "");
}

/** A length of time (`90s`, `15m`, `12h`, `30d`), parsed into milliseconds. */
export const duration = z.string().transform((text, context) => {
  const match = /^([1-9][0-9]*)([smhd])$/.exec(text);
  if (!match) {
    context.addIssue({ code: "custom", message: `${JSON.stringify(text)} is not a length of time: write 12h or 30d` });
    return z.NEVER;
  }
  const unit = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }[match[2] as "s" | "m" | "h" | "d"];
  return Number(match[1]) * unit;
});

/** The inverse of {@link duration} for messages: `12h`, `90d`. */
export function formatDuration(milliseconds: number): string {
  for (const [unit, size] of [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["m", 60_000],
  ] as const) {
    if (milliseconds % size === 0) return `${milliseconds / size}${unit}`;
  }
  return `${milliseconds / 1_000}s`;
}

/** A date (the whole day, UTC) or an ISO time with zone, parsed into its last moment. */
export const until = z.string().transform((text, context) => {
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const isTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/.test(text);
  const moment = new Date(isDay ? `${text}T23:59:59.999Z` : text);
  const isDate = z.iso.date().safeParse(text.slice(0, 10)).success;
  if ((!isDay && !isTime) || !isDate || Number.isNaN(moment.getTime())) {
    context.addIssue({
      code: "custom",
      message: `${JSON.stringify(text)} is not a date: write 2026-12-31 or 2026-12-31T18:00:00Z`,
    });
    return z.NEVER;
  }
  return { text, moment };
});
