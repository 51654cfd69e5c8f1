import { codeOf } from "../model/errors";
import { sanitize, visibleLines } from "../model/foreign-text";
import { SecretMatcher } from "../model/secret-matcher";

const CUT = "[secret]";

/** Length from which a secret is removed inside words. A shorter one is removed only as a whole word: without every "a", no message is readable. */
const FREELY_FROM = 4;

/** Text in the place of one that may repeat a credential in a form that is not searched for. */
export const NOT_QUOTED = "the answer is not quoted, since it may repeat a credential in another form";

/** Characters of a text of others that are read for a message. */
const READ = 65_536;

/**
 * Keeps the secrets of one connection out of texts, by `SecretMatcher`: also the credential of an `Authorization` header, alone and
 * decoded, and single lines of a PEM key. Own texts lose the secrets ({@link text}). A text of others is quoted only where nothing in it could
 * be another form of one ({@link foreign}).
 */
export class Redactor {
  private ofSecrets: SecretMatcher | undefined;
  private ofAll: SecretMatcher | undefined;

  /** @param hidden Texts that are removed as they are, too, and that keep no text of others from being quoted. Default: none. */
  constructor(
    private readonly secrets: readonly (string | undefined)[],
    private readonly hidden: readonly string[] = [],
  ) {}

  /** Made at the first use: most connections never need it. */
  private get matcher(): SecretMatcher {
    this.ofSecrets ??= new SecretMatcher(this.parts, FREELY_FROM);
    return this.ofSecrets;
  }

  private get parts(): string[] {
    return this.secrets.flatMap((secret = "") =>
      secret.includes("-----BEGIN ") ? linesOf(secret) : [...partsOf(secret)],
    );
  }

  /** An own text without secrets. */
  readonly text = (text: string): string => {
    if (this.hidden.length === 0) return this.secrets.some(Boolean) ? this.matcher.cut(text, CUT) : text;
    this.ofAll ??= new SecretMatcher([...this.parts, ...this.hidden], FREELY_FROM);
    return this.ofAll.cut(text, CUT);
  };

  /** A text of others without secrets, or {@link NOT_QUOTED}; of a connection without secrets the text itself. */
  readonly foreign = (text: string): string => {
    const shown = this.text(text.slice(0, READ));
    return this.matcher.mayBeIn(shown) ? NOT_QUOTED : shown;
  };

  /** Foreign text for a message: as {@link foreign}, without control characters, on one line, short. */
  sanitize(text: string): string {
    return sanitize(text, this.foreign);
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
    return visibleLines(this.foreign(text));
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

/** Lines of a PEM key, which a dump of options may show one by one. The armour is not secret. */
function linesOf(secret: string): string[] {
  return secret.split(/\r?\n/).filter((line) => line.length >= 8 && !line.startsWith("-----"));
}
