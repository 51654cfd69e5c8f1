/** The fields of a record that a template may name. */
export type TemplateFields = Readonly<Record<string, unknown>>;

/** Separates the parts of a template. */
const BETWEEN = "{|}";
const PARTS = 5;

/** True for a text of five parts. */
export function isTemplate(text: string): boolean {
  return text.split(BETWEEN).length === PARTS;
}

/**
 * Writes records by a template: the text before the first record, that of a record, that between two, that after the last, and
 * that of an empty list. `{name}` stands for a field, `{count}` for the number of records.
 */
export function writeByTemplate(template: string, records: readonly TemplateFields[]): string {
  const [head = "", record = "", between = "", tail = "", empty = ""] = template.split(BETWEEN);
  const count = { count: records.length };
  if (records.length === 0) return fill(empty, count);
  return fill(head, count) + records.map((fields) => fill(record, fields)).join(between) + fill(tail, count);
}

/** Replaces `{name}` by the field of that name, and leaves all other text as it is. */
export function fill(text: string, fields: TemplateFields): string {
  return text.replace(FIELD, (whole, name: string) => (name in fields ? String(fields[name] ?? "") : whole));
}

/** The names in braces. */
export function fieldsIn(text: string): string[] {
  return [...text.matchAll(FIELD)].flatMap(([, name]) => name ?? []);
}

/** The names in the braces of a template that stand for nothing: a record has these fields, and the other parts the number of records. */
export function unknownInTemplate(template: string, known: readonly string[]): string[] {
  const [head = "", record = "", ...others] = template.split(BETWEEN);
  const unknown = fieldsIn(record).filter((name) => !known.includes(name));
  return [...fieldsIn([head, ...others].join("")).filter((name) => name !== "count"), ...unknown];
}

const FIELD = /\{(\w+)\}/g;
