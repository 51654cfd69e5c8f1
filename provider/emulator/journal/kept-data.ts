import { JOURNAL } from "../defaults";

/** The beginning of a longer text. It is a copy: a mere part of a text keeps the whole one in memory. */
export function beginning(text: string, most: number = JOURNAL.itemCharacters): string {
  return text.length > most ? structuredClone(`${text.slice(0, most)}…`) : text;
}

/** A data item for the journal: one that is longer than any valid item is the beginning of its JSON. */
export function keptItem(item: unknown): unknown {
  if (typeof item === "string") return beginning(item);
  return isShort(item) ? item : beginning(JSON.stringify(item));
}

function isShort(item: unknown): boolean {
  if (typeof item !== "object" || item === null) return true;
  let characters = 0;
  for (const name in item) {
    const member: unknown = item[name as keyof typeof item];
    characters += name.length + (typeof member === "string" ? member.length : 1);
    if (characters > JOURNAL.itemCharacters) return false;
  }
  return true;
}
