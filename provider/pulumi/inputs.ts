import * as pulumi from "@pulumi/pulumi";
import { isObject, someMember } from "../model/json";

/** True for a value that resolves later. */
export function isDeferred(value: unknown): boolean {
  return pulumi.Output.isInstance(value) || value instanceof Promise;
}

/** True when nothing in a value resolves later: it can be read at once, which saves an Output and its four promises. */
export function isPlain(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (isDeferred(value) || pulumi.Resource.isInstance(value)) return false;
  if (Array.isArray(value)) return value.every(isPlain);
  return !isObject(value) || !someMember(value, (member) => !isPlain(member));
}

/** Changes a value once it resolves. */
export function later(value: unknown, change: (value: unknown) => unknown): pulumi.Output<unknown> {
  return pulumi.output(value as pulumi.Input<string>).apply(change);
}

/** A value once it has resolved. In a preview it may stay unknown. */
export type Settled<T> =
  | { readonly known: true; readonly value: T; readonly secret: boolean }
  | { readonly known: false; readonly secret: boolean };

/** Waits for a value and for everything in it; it is secret when a part of it is. */
export async function settled<T>(input: T): Promise<Settled<pulumi.Unwrap<T>>> {
  const output = pulumi.output(input);
  const secret = await pulumi.isSecret(output);
  // Not declared, but what copies of the SDK of different versions know of each other's Outputs.
  const { isKnown } = output as unknown as { readonly isKnown: Promise<boolean> };
  if (!(await isKnown)) return { known: false, secret };
  return new Promise((resolve) => {
    output.apply((value) => resolve({ known: true, value, secret }));
  });
}

/** Ends the program with a sentence. Without a stack: where an error comes in a later turn the SDK would print it below. */
export function runError(message: string): pulumi.RunError {
  const error = new pulumi.RunError(message);
  error.stack = "";
  return error;
}
