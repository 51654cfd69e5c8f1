/**
 * The hidden input that names what is secret in a resource, for example `["entries", "reason"]`: the classes send it, and
 * only when something is. Keys that begin with `__` are hidden in displays and from policies. `notes` stands for reasons,
 * tickets and times in `entries`.
 */
export const SECRETS_KEY = "__secret";

/**
 * True in inputs and state of a resource whose prefixes are secret. Policies see it, who are shown neither hidden keys nor
 * what is a secret.
 */
export const SECRET_PREFIXES = "secretPrefixes";

/**
 * The hidden output of such a resource that holds its lists of prefixes, {@link LISTS}: no argument repeats them, so
 * that the engine would keep them in the clear.
 */
export const LISTS_KEY = "__lists";

/** Outputs that name prefixes, of the node's or of a write without a known result. */
export const LISTS = ["adopted", "found", "unsettled", "differs", "lost"];

/** Arguments that hold prefixes: where one is secret the prefixes themselves are, and not only what stands beside them. */
export const HOLDING_PREFIXES: readonly unknown[] = ["entries", "prefixes", "nodes"];

/**
 * Value that the classes send under the name of an output that repeats a secret argument. The engine marks what comes back under
 * that name.
 */
export const SECRET_MARK = "[secret]";

/** Arguments that say where a node or a receiver is, whose credentials stand in them. */
export const CONNECTIONS: readonly string[] = ["node", "receiver"];

/** Settings of a stack or provider in which credentials can stand: a provider keeps each as a secret, in whatever form it came. */
export const SECRET_SETTINGS = ["headers", "secretKey", "node", "receiver", "nodes", "receivers"] as const;
