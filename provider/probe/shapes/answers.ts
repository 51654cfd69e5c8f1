import {
  type Answers,
  COMMANDS,
  type Columns,
  LIST_KINDS,
  type ListFormat,
  type ListKind,
  type Member,
  type PerKind,
  type Sign,
} from "../../wire/answers";
import { forKind, isSign } from "../../wire/places";

/** One sign for each command or operation that is named. */
export type EachSign<Name extends string> = Readonly<Partial<Record<Name, Sign>>>;

/** Settings by which a client distinguishes successes from failures. */
export interface SignSettings<Name extends string> {
  readonly success?: Sign | EachSign<Name> | undefined;
  readonly failure?: Sign | EachSign<Name> | undefined;
}

/** Merges signs; the second ones take precedence, but one for all commands does not replace one that is named. */
export function mergedSigns<Name extends string>(
  one: Sign | EachSign<Name> | undefined,
  two: Sign | EachSign<Name> | undefined,
  names: readonly Name[],
): Sign | EachSign<Name> | undefined {
  if (one === undefined || two === undefined) return two ?? one;
  if (isSign(two)) return isSign(one) ? two : { ...eachSign(two, names), ...one };
  return { ...eachSign(one, names), ...two };
}

export function eachSign<Name extends string>(signs: Sign | EachSign<Name>, names: readonly Name[]): EachSign<Name> {
  return isSign(signs) ? (Object.fromEntries(names.map((name) => [name, signs])) as EachSign<Name>) : signs;
}

/** Merges settings; the second ones take precedence. */
export function merged(one: Answers, two: Answers): Answers {
  return tidy({
    ...one,
    ...two,
    format: together(one.format, two.format),
    columns: together<Columns>(one.columns, two.columns),
    path: together(one.path, two.path),
    names: eachName(two.names, (name, member) => together(one.names?.[member], name), one.names),
    ignore: union(one.ignore, two.ignore),
    success: mergedSigns(one.success, two.success, COMMANDS),
    failure: mergedSigns(one.failure, two.failure, COMMANDS),
  });
}

/** The same settings, with one for each kind of list and each command wherever these may differ. */
export function byKinds({ format, columns, path, names, success, failure, ...others }: Answers): Answers {
  return tidy({
    ...others,
    format: format && byKind<ListFormat>(format),
    columns: columns && byKind<Columns>(columns),
    path: path && byKind<string>(path),
    names: eachName(names, (name) => name && byKind<string>(name)),
    success: success && eachSign(success, COMMANDS),
    failure: failure && eachSign(failure, COMMANDS),
  });
}

function union(one: Answers["ignore"] = [], two: Answers["ignore"] = []): Answers["ignore"] {
  return [...new Set([...one, ...two])];
}

export function isNoSetting(answers: Answers): boolean {
  return Object.keys(tidy(answers)).length === 0;
}

type Names = NonNullable<Answers["names"]>;
type Name = Names[Member];

/** The names that `make` makes of these, with others; those that are empty are left out. */
function eachName(names: Names = {}, make: (name: Name, member: Member) => Name, others: Names = {}): Names {
  const made = Object.entries(names).map(([member, name]) => [member, make(name, member as Member)]);
  return Object.fromEntries(
    Object.entries({ ...others, ...Object.fromEntries(made) }).filter(([, name]) => isSaid(name)),
  );
}

type ByKind<T> = Partial<Record<ListKind, T>>;

function together<T>(one: PerKind<T> | undefined, two: PerKind<T> | undefined): PerKind<T> | undefined {
  if (one === undefined || two === undefined || typeof two === "string") return two ?? one;
  return { ...byKind(one), ...byKind(two) };
}

function byKind<T>(setting: PerKind<T>): ByKind<T> {
  return Object.fromEntries(
    LIST_KINDS.flatMap((kind) => {
      const one = forKind(setting, kind);
      return one === undefined ? [] : [[kind, one]];
    }),
  ) as ByKind<T>;
}

function isSaid(value: unknown): boolean {
  return value !== undefined && !(typeof value === "object" && value !== null && Object.keys(value).length === 0);
}

/** Removes undefined members and empty objects. */
function tidy(answers: { readonly [N in keyof Answers]: Answers[N] | undefined }): Answers {
  return Object.fromEntries(Object.entries(answers).filter(([, value]) => isSaid(value)));
}
