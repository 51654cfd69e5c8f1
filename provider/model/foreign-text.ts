/**
 * Text from outside: nodes, receivers, sinks, files. Before it reaches a person, a log or an error, {@link sanitize} removes
 * secrets, makes control characters visible, then cuts it to a length. Thus no half of a secret remains, and nothing moves a
 * cursor, makes a link, rings, reverses the direction of writing, or is a command to the runner of a CI job, which reads its log.
 */

/** Most characters of such a text in a message. */
const LONGEST = 300;

/**
 * Text from outside for a message, on one line.
 *
 * @param hide Cuts secrets out.
 * @example
 * ```ts
 * sanitize("no \u001b[31msuch set\n", (text) => text);    // "no \\u{1b}[31msuch set"
 * ```
 */
export function sanitize(text: string, hide: (text: string) => string, longest = LONGEST): string {
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
 * A text on one line, without characters that a screen acts on or hides. Control characters, marks of writing direction,
 * characters without width and halves of surrogate pairs become `\u{…}`; each run of blanks becomes one blank.
 */
export function visible(text: string): string {
  return inert(text.replace(/[\t\n\v\f\r\u0085\u2028\u2029\p{Zs}]+/gu, " "));
}

/** As {@link visible}, for a text of several lines: line breaks and tabs stay. */
export function visibleLines(text: string): string {
  return text
    .split(/([\n\t])/)
    .map((part) => (part === "\n" || part === "\t" ? part : inert(part)))
    .join("");
}

/** Equal JSON in which characters that a screen acts on are escaped: JSON itself escapes only those below U+0020. */
export function visibleJson(json: string): string {
  return json.replace(MARKED, "#\\u0023").replace(ACTING, (sign) =>
    sign === "\n"
      ? sign
      : sign
          .split("")
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
          .join(""),
  );
}

/** As {@link visibleJson}, for bytes; the usual case, pure ASCII without commands, is returned unchanged. */
export function visibleBytes(json: Buffer): Buffer {
  return /[\x7f-\xff]|##/.test(json.toString("latin1")) ? Buffer.from(visibleJson(json.toString("utf8"))) : json;
}

const ACTING = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}\u2028\u2029]/gu;

/** `##[command]` of GitHub and Azure, and `##vso[command]` of Azure, which their runners find anywhere in a line. */
const MARKED = /##(?=\[|vso\[)/gi;

/**
 * `::command::` of GitHub, before which its runner passes over blanks; not an IPv6 address, which is no command. The sections of
 * GitLab need control characters.
 */
const COMMAND = /^(\s*):(?=:(?![\da-f:./]*(?:\s|$)))/i;

/** True for a line that begins with a command to a runner. */
export function beginsCommand(text: string): boolean {
  return COMMAND.test(text);
}

function inert(text: string): string {
  return text
    .replace(MARKED, "#\\u{23}")
    .replace(COMMAND, "$1\\u{3a}")
    .replace(ACTING, (sign) => `\\u{${sign.codePointAt(0)?.toString(16)}}`);
}

/** The first characters, with `…` if there were more; never half a surrogate pair. */
export function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
