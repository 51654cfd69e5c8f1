/**
 * The hidden input that names what is secret in a resource, for example `["entries", "reason"]`: the classes send it, and
 * only when something is. Keys that begin with `__` are hidden in displays and from policies. `notes` stands for reasons,
 * tickets and times in `entries`.
 */
export const SECRETS_KEY = "__secret";

/**
 * What the classes send under the name of an output that repeats a secret argument. The engine marks what comes back under
 * that name.
 */
export const SECRET_MARK = "[secret]";
