import type { Mark, MarkType } from "../../model/mark";
import type { NodeHabits } from "../../wire/answers";
import { findList } from "../../wire/envelope";
import { errorIn } from "../../wire/error-marker";
import { readMarkList } from "../../wire/mark-list";

/**
 * The package's plain reader of mark lists, as the reader of streams asks it. Nothing else in this room knows the names and
 * shapes in which nodes answer.
 */
export function plainMarks(json: unknown, type: MarkType, habits: NodeHabits): readonly Mark[] {
  return readMarkList(json, type, habits);
}

const LIST = "\u0001list\u0001";

/** What stands around a list. */
export type Around =
  | { readonly kind: "list" }
  /** The plain reader would take another list, or none, as that of the answer. */
  | { readonly kind: "other" }
  | { readonly kind: "error"; readonly message: string };

/**
 * Says whether the plain reader takes a list of `length` elements between these texts as the list of the answer.
 *
 * @throws {ShapeError} when the answer itself says that it is not the whole list.
 */
export function judgeAround(head: string, tail: string, length: number, habits: NodeHabits): Around {
  const list: unknown[] = new Array(length);
  let json: unknown;
  try {
    json = JSON.parse(`${head}${JSON.stringify(LIST)}${tail}`, (_, value: unknown) => (value === LIST ? list : value));
  } catch {
    return { kind: "other" };
  }
  const message = errorIn(json);
  if (message !== undefined) return { kind: "error", message };
  const found = findList(json, "marks", habits);
  return { kind: found.kind === "array" && found.elements === list ? "list" : "other" };
}
