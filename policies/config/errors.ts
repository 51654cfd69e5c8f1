/** One mistake in a configuration. */
export interface PolicyConfigIssue {
  /** Path of the setting: `sets[0].role`. Empty for the whole file. */
  readonly path: string;
  /** The mistake and its remedy. */
  readonly message: string;
}

/**
 * Thrown if `packetfilter-policies.yaml`, or the configuration of one policy, does not match the schema. The pack does not
 * start then, since rules with half a configuration would be worse than none.
 *
 * @example
 * ```ts
 * try {
 *   loadPolicyConfig(rules);
 * } catch (error) {
 *   if (error instanceof PolicyConfigError) for (const { path, message } of error.issues) console.log(path, message);
 * }
 * ```
 */
export class PolicyConfigError extends Error {
  override readonly name = "PolicyConfigError";
  /** Kind of error, for programs that do not share the class. */
  readonly code = "invalid-policy-config";

  /** Makes the SDK of Pulumi print the message alone, without a stack. */
  get __pulumiRunError(): boolean {
    return true;
  }

  constructor(
    /** The file, or the policy whose configuration is wrong. */
    readonly source: string,
    /** Mistakes, one for each place in the file. */
    readonly issues: readonly PolicyConfigIssue[],
  ) {
    super(
      `${source} is not a valid policy configuration:\n${issues
        .map(({ path, message }) => `  - ${path === "" ? "" : `${path}: `}${message}`)
        .join("\n")}`,
    );
    // Pulumi prints an error's stack, which does not help with a mistake in a configuration.
    this.stack = `${this.name}: ${this.message}`;
  }
}

/** Path of a setting in messages: `sets[0].role`, `rules["prefix-length"].ipv4`. */
export function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((part) => {
      if (typeof part === "number") return `[${part}]`;
      return /^[A-Za-z_]\w*$/.test(String(part)) ? `.${String(part)}` : `[${JSON.stringify(String(part))}]`;
    })
    .join("")
    .replace(/^\./, "");
}
