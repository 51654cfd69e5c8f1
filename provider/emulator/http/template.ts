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
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => (name in fields ? String(fields[name] ?? "") : whole));
}
