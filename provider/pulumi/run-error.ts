import * as pulumi from "@pulumi/pulumi";

/** Ends the program with a sentence. Without a stack: where an error comes in a later turn the SDK would print it below. */
export function runError(message: string): pulumi.RunError {
  const error = new pulumi.RunError(message);
  error.stack = "";
  return error;
}
