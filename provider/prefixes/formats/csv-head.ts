import { IN_TEXT, namesColumns, type PrefixColumns, type PrefixFileOptions } from "../options";
import { shown } from "../problems";
import { hasUsualNames } from "../records";

/** Names of the fields of a CSV file, by its first row and the options. */
export interface Head {
  /** True if the first row is a head line. */
  readonly isRow: boolean;
  /** Names of the fields: those of the head line, or numbers from 0. */
  readonly names: readonly string[];
  /** The columns by these names; `undefined` where usual names show them. */
  readonly columns: PrefixColumns | undefined;
}

/**
 * Reads the first row of a CSV file. It is a head line by the option `header`, by names in `columns`, or by usual names in it;
 * one field of it shows nothing.
 *
 * @param fail Called with a problem for which the whole file cannot be read.
 */
export function headOf(texts: readonly string[], options: PrefixFileOptions, fail: (message: string) => never): Head {
  const { columns, header = namesColumns(columns) || (columns === undefined && hasUsualNames(texts)) } = options;
  if (header) {
    const twice = texts.find((name, index) => name !== "" && texts.indexOf(name) < index);
    if (twice !== undefined) fail(`has the column ${shown(twice)} twice: give the columns different names.`);
    // Fields without a name need one of their own.
    const names = texts.map((name, index) => (name === "" ? String(index) : name));
    return { isRow: true, names, columns: columns && byName(columns, names, fail) };
  }
  const names = texts.map((_, index) => String(index));
  if (columns && options.header === undefined && !/[\d.:]/.test(texts[Number(columns.prefix)] ?? "0"))
    fail(`has no prefix in column ${columns.prefix}, counted from 0: set header: true if it is a head line.`);
  if (columns) return { isRow: false, names, columns: byName(columns, names, fail) };
  const at = texts.findIndex((text) => /^\s*[0-9a-f]{0,4}[.:]/i.test(text));
  const [other] = texts.flatMap((text, index) => (index !== at && text !== "" ? [index] : []));
  if (at >= 0 && other === undefined) return { isRow: false, names, columns: { prefix: at } };
  if (texts.length === 1) return { isRow: false, names, columns: { prefix: 0 } };
  return fail(
    at < 0
      ? `has no usual name of a column, and no prefix: name the columns, for example columns: { prefix: ${shown(texts[0])} }.`
      : `nothing says what ${shown(texts[other ?? 0])} beside the prefix is (value, port, count or length?): add a head line, or name the columns, for example columns: { prefix: ${at}, value: ${other} }.`,
  );
}

/** The columns by the names of the fields. */
function byName(columns: PrefixColumns, names: readonly string[], fail: (message: string) => never): PrefixColumns {
  const named = Object.entries(columns).map(([part, column]): [string, string] => {
    const name = typeof column === "number" ? names[column] : column;
    if (name === undefined)
      return fail(`has ${names.length} fields, and \`columns.${part}\` is ${column}, counted from 0.`);
    if (part === "prefixLength" && name === IN_TEXT) return [part, name];
    if (names.includes(name)) return [part, name];
    return fail(`has no column ${shown(name)}, which \`columns.${part}\` names; it has ${names.join(", ")}.`);
  });
  return Object.fromEntries(named) as unknown as PrefixColumns;
}
