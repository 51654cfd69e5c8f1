import type { Dialect, DialectSettings } from "../../provider/emulator";

/** What of a dialect shows in any answer to a probe: settings that end in the same answers are the same here. */
export function visible(of: Dialect): Record<string, unknown> {
  const isKeyed = of.listEnvelope === "keyed" || of.entryForm === "keyed";
  const isRootKeyed = of.listEnvelope === "keyed" || (isKeyed && of.listEnvelope === "array");
  const hasNames = !isKeyed && of.entryForm !== "pair";
  const hasLength = hasNames && of.lengthKey !== "none";
  const isCapped = of.maxEntriesPerRequest === 100 || of.maxBodyBytes === 16_384;
  return defined({
    ...same(of, [
      "success unknownSet listShows insertExisting deleteAbsent emptyCommit hostBits ipv6 refusedEntry maxValue",
      "nested deleteCovers trailingSlash duplicateMembers contentEncoding userArena redirect maxEntriesPerRequest nameKey idKey markKeys markAge",
      "markAddress markExpired missingTable errorForm signalingErrors statusWrongSecret statusDelay signalingPrefixes",
    ]),
    listEnvelope: isRootKeyed ? "keyed" : of.listEnvelope,
    ...Object.fromEntries(["profiles", "rules", "marks"].map((kind) => [`${kind}Place`, placeOf(of, kind)])),
    entryForm: isRootKeyed ? "keyed" : of.entryForm,
    emptyList: emptyList(of, isKeyed, isRootKeyed),
    ...(hasNames && same(of, ["prefixKey valueKey lengthKey"])),
    ...(hasLength && same(of, ["lengthForm"])),
    ...((!hasLength || of.entryForm === "string") && same(of, ["singleAddress"])),
    ...(of.listShows === "applied" && same(of, ["commitDelay"])),
    ...(of.insertExisting === "overwrite" && same(of, ["repeatedEntry"])),
    ...(of.maxBodyBytes === 16_384 && same(of, ["maxBodyBytes"])),
    ...(of.markPace === "node" && same(of, ["markPace"])),
    ...(of.signalingPrefixes === "within" &&
      same(of, ["statusForm signalingAddress signalingOverlap signalingPartial"])),
    ...style(of, "unknown"),
    ...style(of, "credentials"),
    ...style(of, "refusedEntry"),
    ...(of.insertExisting === "error" && style(of, "exists")),
    ...(of.deleteAbsent === "error" && style(of, "absent")),
    ...(of.emptyCommit === "error" && style(of, "nothingStaged")),
    ...(of.userArena !== "ignored" && style(of, "userArena")),
    ...(isCapped && style(of, "tooLarge")),
  });
}

type Name = keyof Dialect;

function same(of: Dialect, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((line) => line.split(" ")).map((name) => [name, of[name as Name]]));
}

/** Form of a refusal, and its status where the form has one of its own. */
function style(of: Dialect, kind: string): Record<string, unknown> {
  const own = of[`${kind}Form` as Name];
  const form = own === "same" ? of.errorForm : own;
  const status = of[(kind === "tooLarge" ? "capStatus" : `${kind}Status`) as Name];
  return { [kind]: /^(json|text|html)$/.test(String(form)) ? `${form} ${status}` : form };
}

function placeOf(of: Dialect, kind: string): unknown {
  const own = of[`${kind}Envelope` as Name];
  if (own !== "same") return own;
  return of.listEnvelope === "keyed" ? "data" : of.listEnvelope;
}

function emptyList(of: Dialect, isKeyed: boolean, isRootKeyed: boolean): string {
  const isNullSomewhere = !isRootKeyed && of.listEnvelope !== "array";
  const isNullOfRecords = ["profiles", "rules", "marks"].some((kind) => placeOf(of, kind) !== "array");
  if (of.emptyList === "null" && (isNullSomewhere || isNullOfRecords)) return "null";
  return of.emptyList === "array" && isKeyed ? "array" : "own";
}

function defined(settings: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([, setting]) => setting !== undefined));
}

/** For messages: a dialect as few words as it can be told in. */
export function inShort(settings: DialectSettings): string {
  return JSON.stringify(settings);
}
