import { toUSVString } from "node:util";
import { cut, visible } from "../model/foreign-text";

/**
 * Foreign text in a comment. A reason may be written by any contributor to a block list, and a comment is read by machines that
 * call people, close issues and load pictures. All of it is in code spans: neither GitHub nor GitLab look there for
 * mentions, references, emoji, addresses or HTML, and CommonMark 0.31 (6.1, code spans) knows no escapes in them. Three things can
 * end a code span or its table cell, and none is let through: the backtick, the bar (which GFM splits before it looks for
 * spans), and the line break.
 */

/** Longer text is cut: a comment has no room for it. */
export const LONGEST = 200;

/**
 * A text as a code span.
 *
 * @example
 * ```ts
 * code("see @everyone | `rm`");    // "`see @everyone ¦ 'rm'`"
 * ```
 */
export function code(text: string, longest = LONGEST): string {
  const inside = visible(text.slice(0, longest * 4))
    .replaceAll("`", "'")
    .replaceAll("|", "¦")
    .trim();
  return inside === "" ? "`(empty)`" : `\`${cut(inside, longest)}\``;
}

/**
 * The hidden first line by which a comment is found and replaced. In an HTML comment only `-->` and its like have a
 * meaning; letters, digits, `.`, `_`, `/` and single hyphens stay, and all else is percent-encoded.
 *
 * @example
 * ```ts
 * keyLine("shop/production");    // "<!-- pulumi-packetfilter report: shop/production -->"
 * ```
 */
export function keyLine(key: string): string {
  const encoded = toUSVString(key)
    .replace(/[^A-Za-z0-9._/-]/gu, (sign) =>
      [...Buffer.from(sign, "utf8")].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
    )
    .replace(/-(?=-|$)|^-/g, "%2D");
  return `<!-- pulumi-packetfilter report: ${encoded} -->`;
}
