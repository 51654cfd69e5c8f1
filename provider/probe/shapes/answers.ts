import {
  type Answers,
  type Columns,
  LIST_KINDS,
  type ListFormat,
  type ListKind,
  type Member,
  type PerKind,
} from "../../wire/answers";
import { forKind } from "../../wire/places";

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
  });
}

/** The same settings, with one for each kind of list wherever kinds may differ. */
export function byKinds({ format, columns, path, names, ...others }: Answers): Answers {
  return tidy({
    ...others,
    format: format && byKind<ListFormat>(format),
    columns: columns && byKind<Columns>(columns),
    path: path && byKind<string>(path),
    names: eachName(names, (name) => name && byKind<string>(name)),
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
