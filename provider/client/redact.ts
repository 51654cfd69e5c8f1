import { codeOf } from "../model/errors";
import { told, visibleLines } from "../model/foreign-text";
import { SecretMatcher } from "../model/secret-matcher";

const CUT = "[secret]";

/** Length from which a secret is removed inside words. A shorter one is removed only as a whole word: without every "a", no message is readable. */
const FREELY_FROM = 4;

/**
 * Removes the secrets of one connection from texts, in every encoding of `SecretMatcher`. Also removes the credential of an
 * `Authorization` header, alone and decoded, and single lines of a PEM key.
 */
export class Redactor {
  private made: SecretMatcher | undefined;

  constructor(private readonly secrets: readonly (string | undefined)[]) {}

  /** Made at the first use: it costs more than a request, and most connections never need it. */
  private get matcher(): SecretMatcher {
    this.made ??= new SecretMatcher(
      this.secrets.flatMap((secret = "") => [...partsOf(secret), ...linesOf(secret)]),
      FREELY_FROM,
    );
    return this.made;
  }

  /** The text without secrets. */
  readonly text = (text: string): string => (this.secrets.some(Boolean) ? this.matcher.cut(text, CUT) : text);

  /** The beginning of a longer text without secrets, and without its end, where a secret may be cut off. */
  beginning(text: string): string {
    return this.text(text).slice(0, -this.matcher.longest || undefined);
  }

  /** Foreign text for a message: without secrets and control characters, on one line, short. */
  told(text: string): string {
    return told(text, this.text);
  }

  /**
   * A copy of a foreign error that is safe to throw or to attach: name, message, stack and a string `code`, all redacted,
   * with its causes. Other members (sockets, requests, headers) are not copied.
   */
  error(error: unknown, depth = 0): Error {
    if (!(error instanceof Error)) return new Error(this.lines(String(error)));
    const copy = new Error(this.lines(error.message));
    Object.defineProperty(copy, "name", { value: this.lines(error.name), enumerable: false });
    Object.defineProperty(copy, "stack", { value: this.lines(error.stack ?? ""), enumerable: false });
    const code = codeOf(error);
    if (code !== undefined) Object.assign(copy, { code: this.lines(code) });
    if (error.cause !== undefined && depth < 3) copy.cause = this.error(error.cause, depth + 1);
    return copy;
  }

  private lines(text: string): string {
    return visibleLines(this.text(text));
  }
}

/** The secret, and the parts of it that are secret alone. */
function* partsOf(secret: string): Generator<string> {
  yield secret;
  yield secret.trim();
  const [scheme, credential] = /^(\S+)\s+(\S.*)$/.exec(secret.trim())?.slice(1) ?? [];
  if (scheme === undefined || credential === undefined) return;
  yield credential;
  if (!/^basic$/i.test(scheme)) return;
  const pair = Buffer.from(credential, "base64").toString("utf8");
  yield pair;
  yield pair.slice(pair.indexOf(":") + 1);
}

/** Lines of a PEM key, which a dump of options may show one by one. The armour lines are not secret. */
function linesOf(secret: string): string[] {
  if (!secret.includes("\n")) return [];
  return secret.split(/\r?\n/).filter((line) => line.length >= 8 && !line.startsWith("-----"));
}
