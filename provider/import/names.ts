import type { PrefixSetUrl } from "../client";
import { formatUrl, parseUrl } from "../model/resource-url";

/** The word for the signaling resource in place of a url. */
export const SIGNALING = "signaling";

/**
 * The names of imported resources in the stack: those that were chosen, else made of the url, `edge-blocked` for
 * `prefixset://edge/blocked`, `edge-web-blocked` for `prefixset://edge/web/blocked`.
 *
 * @param chosen Url of a set, or `signaling`, to its name.
 * @throws {TypeError} where two have one name, or a name was chosen for something that is not imported
 */
export function resourceNames(
  urls: readonly PrefixSetUrl[],
  chosen: ReadonlyMap<string, string>,
  withSignaling: boolean,
): ReadonlyMap<string, string> {
  const chosenNames = new Map([...chosen].map(([subject, name]) => [canonicalSubject(subject), name]));
  const names = new Map<string, string>();
  for (const url of urls) {
    const subject = formatUrl(url);
    names.set(subject, chosenNames.get(subject) ?? nameOf(url));
  }
  if (withSignaling) names.set(SIGNALING, chosenNames.get(SIGNALING) ?? SIGNALING);
  const stray = [...chosenNames.keys()].find((subject) => !names.has(subject));
  if (stray !== undefined) throw new TypeError(`--name: ${stray} is not among what is imported.`);
  const owners = new Map<string, string>();
  for (const [subject, name] of names) {
    const other = owners.get(name);
    if (other !== undefined) {
      throw new TypeError(
        `${other} and ${subject} would both be named ${JSON.stringify(name)}: choose another name for one of them, with --name ${subject}=NAME.`,
      );
    }
    owners.set(name, subject);
  }
  return names;
}

/**
 * The name of the resource of one entry. Colons are written as dashes, since two of them part the members of a URN; a
 * prefix has one slash, at its end, so that no two prefixes become one name.
 */
export function entryName(set: string, prefix: string): string {
  return `${set}-${prefix.replaceAll(":", "-")}`;
}

function nameOf({ arena, profile, set }: PrefixSetUrl): string {
  return [arena, profile, set].filter((part) => part !== undefined).join("-");
}

function canonicalSubject(subject: string): string {
  return subject === SIGNALING ? subject : formatUrl(parseUrl(subject));
}
