/** Character of an escape, by the form in which it is written. */
const BY_NUMBER_OR_NAME = [
  "%(?<byte>[0-9a-f]{2})",
  "&#(?<decimal>[0-9]{1,9});?",
  "&#x(?<hex>[0-9a-f]{1,8});?",
  "&(?<name>[a-z]{2,8});",
  "\\\\u(?<unit>[0-9a-f]{4})",
  "\\\\u\\{(?<point>[0-9a-f]{1,6})\\}",
  "\\\\x(?<code>[0-9a-f]{2})",
];
const ESCAPES = {
  all: new RegExp([...BY_NUMBER_OR_NAME, "\\\\(?<sign>[nrtbf/\\\\\"'`])"].join("|"), "gi"),
  "but signs": new RegExp(BY_NUMBER_OR_NAME.join("|"), "gi"),
};

/** `but signs` leaves out `\\`, `\"` and the like, for texts in which a backslash is literal. */
export type EscapeKind = keyof typeof ESCAPES;

/** A text with one layer of escapes decoded, and the origin of its characters. */
export interface Decoded {
  readonly text: string;
  /** Position in the encoded text of the decoded characters from `start` to before `end`. */
  origin(start: number, end: number): [start: number, end: number];
}

/**
 * Decodes one layer of escapes of all kinds, also mixed: `%hh`, HTML's `&#n;`, `&#xh;` and `&name;`, the `\uhhhh`, `\/`, `\"`
 * and `\n` of JSON and programming languages. A byte of UTF-8 becomes the character of its number (ISO 8859-1), for which
 * `SecretMatcher` searches too. Returns `undefined` if there is nothing to decode. Takes linear time.
 */
export function decodeLayer(text: string, kind: EscapeKind): Decoded | undefined {
  if (!/[%&\\]/.test(text)) return undefined;
  return replaced(text, ESCAPES[kind], ({ groups = {} }) => meaning(groups));
}

/** The text with base64 that is written in lines (RFC 2045, section 6.8) as one line. `undefined` if there is none. */
export function joinBase64(text: string): Decoded | undefined {
  return replaced(text, /(?<=[\w+/-])\r?\n(?=[\w+/=-])/g, () => "");
}

/** Writes other text in the place of matches; those without one stay. `undefined` if there is nothing to write. */
function replaced(
  text: string,
  pattern: RegExp,
  read: (match: RegExpExecArray) => string | undefined,
): Decoded | undefined {
  const parts: string[] = [];
  // Of each escape: start and end in the encoded text, then in the decoded one.
  const places: [start: number, end: number, at: number, until: number][] = [];
  let length = 0;
  let last = 0;
  for (const match of text.matchAll(pattern)) {
    const sign = read(match);
    if (sign === undefined) continue;
    const between = text.slice(last, match.index);
    last = match.index + match[0].length;
    parts.push(between, sign);
    places.push([match.index, last, length + between.length, length + between.length + sign.length]);
    length += between.length + sign.length;
  }
  if (places.length === 0) return undefined;
  parts.push(text.slice(last));
  /** The last escape whose decoded text begins at or before an index. */
  const before = (index: number) => {
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((places[middle]?.[2] ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    return places[low - 1];
  };
  const from = (index: number): readonly [number, number] => {
    const [start, end, , until] = before(index) ?? [0, 0, 0, 0];
    if (index < until) return [start, end];
    return [end + index - until, end + index - until + 1];
  };
  return { text: parts.join(""), origin: (start, end) => [from(start)[0], from(end - 1)[1]] };
}

/** HTML's names (https://html.spec.whatwg.org/#named-character-references) of ASCII signs, each before its sign. */
const ASCII_NAMES =
  `amp & apos ' ast * bsol \\ colon : comma , commat @ dollar $ equals = excl ! grave \` gt > hat ^ lbrace { lbrack [ lcub {
lowbar _ lpar ( lsqb [ lt < midast * num # percnt % period . plus + quest ? quot " rbrace } rbrack ] rcub } rpar ) rsqb ] semi ;
sol / verbar | vert |`.split(/\s+/);
const NAMES: Readonly<Record<string, string | undefined>> = {
  newline: "\n",
  tab: "\t",
  ...Object.fromEntries(ASCII_NAMES.flatMap((name, at) => (at % 2 === 0 ? [[name, ASCII_NAMES[at + 1]]] : []))),
};

/** HTML's names of ISO 8859-1 from U+00A0 on, in order. */
const LATIN_NAMES =
  `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3
acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil
Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc
Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml
eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml`.split(/\s+/);

const CONTROLS: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

function meaning(groups: Readonly<Record<string, string | undefined>>): string | undefined {
  const { byte, decimal, hex, name, unit, point, code, sign } = groups;
  if (sign !== undefined) return CONTROLS[sign] ?? (/[a-z]/i.test(sign) ? undefined : sign);
  if (decimal !== undefined) return character(Number(decimal));
  if (name !== undefined) return NAMES[name.toLowerCase()] ?? latin(name);
  return character(Number.parseInt(byte ?? hex ?? unit ?? point ?? code ?? "", 16));
}

function latin(name: string): string | undefined {
  const place = LATIN_NAMES.indexOf(name);
  return place < 0 ? undefined : String.fromCharCode(0xa0 + place);
}

function character(number: number): string | undefined {
  return number <= 0x10ffff ? String.fromCodePoint(number) : undefined;
}
