import * as pulumi from "@pulumi/pulumi";
import { isObject } from "../model/json";
import { isDeferred, settled } from "./inputs";

/** Secret parts of an argument: `notes` for the notes of `entries`, else the argument's name. */
export type SecretParts = readonly string[];

/**
 * Judges one argument before the engine gets it: an `undefined` member would vanish on the way, and with it an entry that is
 * blocked today.
 *
 * @param resource Name of the resource in messages.
 * @param isRequired True if the argument itself must not be `undefined`.
 * @returns nothing for a plain value; the secret parts, or a rejection, for one that resolves later
 * @throws {pulumi.RunError} naming resource, argument and member
 */
export function inspect(
  resource: string,
  argument: string,
  value: unknown,
  isRequired: boolean,
): Promise<SecretParts> | undefined {
  const inspection = new Inspection(resource);
  if (argument === "entries") inspection.entries(value);
  else inspection.list(argument, value, isRequired);
  return inspection.result();
}

class Inspection {
  private readonly secret = new Set<string>();
  private readonly pending: Promise<void>[] = [];

  constructor(private readonly resource: string) {}

  /** An argument that is a value, or an array of values. */
  list(argument: string, given: unknown, isRequired = true): void {
    this.when(given, argument, (value) => {
      if (value === undefined && !isRequired) return;
      if (!Array.isArray(value)) {
        this.present(argument, value, remedyFor(isRequired));
        return;
      }
      for (const [index, item] of value.entries()) {
        const path = `${argument}[${index}]`;
        this.when(item, argument, (known) => this.present(path, known, "give it a value, or take it out of the list"));
      }
    });
  }

  entries(given: unknown): void {
    this.when(given, "entries", (value) => {
      if (!isObject(value)) return this.list("entries", value);
      for (const prefix of Object.keys(value)) {
        const content = value[prefix];
        // Most are numbers, which have no members.
        if (typeof content !== "number") this.entry(prefix, content);
      }
    });
  }

  result(): Promise<SecretParts> | undefined {
    if (this.pending.length === 0) return undefined;
    return this.all().then(() => [...this.secret]);
  }

  /** Waits until no value is pending: one that resolves can add others. */
  private async all(): Promise<void> {
    for (let waited = 0; waited < this.pending.length; ) {
      const batch = this.pending.slice(waited);
      waited += batch.length;
      await Promise.all(batch);
    }
  }

  private entry(prefix: string, content: unknown): void {
    const path = () => `entries[${this.secret.has("entries") ? "…" : JSON.stringify(prefix)}]`;
    this.when(content, "entries", (known) => {
      this.present(path(), known, "the entry would be left out and, where it is there, removed; give it a value");
      if (typeof known !== "object" || known === null) return;
      for (const [member, part] of Object.entries(known)) {
        // An undefined member was not given.
        this.when(part, member === "value" ? "entries" : "notes", (value) => {
          if (value === null) this.present(`${path()}.${member}`, value, `give it a value, or leave "${member}" out`);
        });
      }
    });
  }

  private present(path: string, value: unknown, remedy: string): void {
    if (value !== undefined && value !== null) return;
    throw new pulumi.RunError(`${this.resource}: ${path} is ${value}: ${remedy}.`);
  }

  private when(given: unknown, part: string, judge: (value: unknown) => void): void {
    if (!isDeferred(given)) {
      judge(given);
      return;
    }
    const judged = settled(given).then((result) => {
      if (result.secret) this.secret.add(part);
      if (result.known) judge(result.value);
    });
    this.pending.push(judged);
  }
}

function remedyFor(isRequired: boolean): string {
  return isRequired ? "it must have a value" : "give it a value, or leave it out";
}
