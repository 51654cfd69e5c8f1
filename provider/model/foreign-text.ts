/**
 * Text that others wrote: nodes, receivers, sinks, files. All of it that may reach a person, a log or an error goes through
 * {@link told}: secrets are cut out first, then it is made visible, then cut to a length, so that no half of a secret stays
 * and nothing of it moves a cursor, makes a link, rings or turns the direction of writing around.
 */

/** Longer text is cut: a message has no room for it. */
const LONGEST = 300;

/**
 * Foreign text for a message, on one line.
 *
 * @param hide Cuts secrets out.
 * @example
 * ```ts
 * told("no \u001b[31msuch set\n", (text) => text);    // "no \\u{1b}[31msuch set"
 * ```
 */
export function told(text: string, hide: (text: string) => string, longest = LONGEST): string {
  return cut(
    visible(
      hide(text)
        .trimStart()
        .slice(0, longest * 4),
    ).trim(),
    longest,
  );
}

/**
 * A text on one line, with nothing that a screen acts on or hides: control characters, what turns the direction of writing
 * around, what has no width, and halves of surrogate pairs become `\u{…}`; blanks of all kinds become one blank.
 */
export function visible(text: string): string {
  return inert(text.replace(/[\t\n\v\f\r\u0085\u2028\u2029\p{Zs}]+/gu, " "));
}

/** The same for a text of several lines, whose line breaks and indents stay. */
export function visibleLines(text: string): string {
  return text
    .split(/([\n\t])/)
    .map((part) => (part === "\n" || part === "\t" ? part : inert(part)))
    .join("");
}

/** JSON that says the same, with what a screen acts on escaped: JSON itself only does so below U+0020. */
export function visibleJson(json: string): string {
  return json.replace(ACTING, (sign) =>
    sign === "\n"
      ? sign
      : sign
          .split("")
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
          .join(""),
  );
}

/** The same of bytes, which most often hold nothing of the kind and are then returned as they are. */
export function visibleBytes(json: Buffer): Buffer {
  return /[\x7f-\xff]/.test(json.toString("latin1")) ? Buffer.from(visibleJson(json.toString("utf8"))) : json;
}

const ACTING = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

function inert(text: string): string {
  return text.replace(ACTING, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}

/** The first characters, without half of one at the end. */
export function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
