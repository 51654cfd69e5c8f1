import type { Mark } from "../../model/mark";
import { keyOf, type MarkKey } from "../record/mark-key";

/** What only some records have. */
export interface Details {
  readonly age?: number;
  readonly status?: string;
  readonly exact?: Readonly<Record<string, string>>;
  readonly extra?: Readonly<Record<string, unknown>>;
}

/**
 * Takes one mark of a list. Flat, because 100 000 of them come every three seconds: a number that a record lacks is
 * `NaN`, and most records have no details.
 */
export type TakeMark = (
  key: MarkKey,
  id: number,
  value: number,
  lifetime: number,
  details: Details | undefined,
) => void;

/** Hands a mark on that was read as a whole. */
export function takeMark(mark: Mark, take: TakeMark): void {
  const { age, status, exact, extra } = mark;
  const details =
    age === undefined && status === undefined && exact === undefined && extra === undefined
      ? undefined
      : {
          ...(age !== undefined && { age }),
          ...(status !== undefined && { status }),
          ...(exact !== undefined && { exact }),
          ...(extra !== undefined && { extra }),
        };
  take(keyOf(mark), mark.id ?? Number.NaN, mark.value ?? Number.NaN, mark.lifetime ?? Number.NaN, details);
}
