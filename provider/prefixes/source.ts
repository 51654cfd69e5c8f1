import { closeSync, openSync, readSync } from "node:fs";
import { TextDecoder } from "node:util";
import { caught, codeOf } from "../model/errors";
import { PrefixFileError } from "./problems";

const CHUNK = 64 * 1024;

/** Most bytes of a file by default: a list of some ten million lines. A device such as `/dev/zero` has no end. */
const LARGEST_FILE = 256 * 1024 * 1024;

/** First bytes of files that hold no UTF-8 text. */
const OTHERS = [
  { bytes: [0xff, 0xfe], what: "is UTF-16 text: save it as UTF-8" },
  { bytes: [0xfe, 0xff], what: "is UTF-16 text: save it as UTF-8" },
  { bytes: [0x1f, 0x8b], what: "is compressed with gzip: unpack it first" },
  { bytes: [0x50, 0x4b, 0x03, 0x04], what: "is a zip archive: unpack it first" },
  { bytes: [0x42, 0x5a, 0x68], what: "is compressed with bzip2: unpack it first" },
  { bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a], what: "is compressed with xz: unpack it first" },
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], what: "is compressed with zstd: unpack it first" },
] as const;

/**
 * The text of a file in pieces: a list of a million lines is never in memory as a whole, unless its format needs that.
 */
export interface TextSource {
  /** Name in problems. */
  readonly name: string;
  /** The beginning of the text, which shows its format. */
  readonly head: string;
  /** The whole text in pieces, `head` included; can be iterated once. */
  readonly chunks: Iterable<string>;
}

/** A text in memory. */
export function textSource(name: string, text: string): TextSource {
  const whole = withoutMark(text);
  return { name, head: whole.slice(0, CHUNK), chunks: [whole] };
}

/**
 * Calls `use` with the text of a file, and closes the file.
 * @throws {PrefixFileError} if it cannot be read, holds no UTF-8 text, or more than `maxBytes`
 */
export function withFile<T>(
  file: string,
  { name, maxBytes = LARGEST_FILE }: { readonly name: string; readonly maxBytes?: number | undefined },
  use: (source: TextSource) => T,
): T {
  const handle = attempt(name, () => openSync(file, "r"));
  try {
    const decode = decoderOf(name);
    const buffer = Buffer.allocUnsafe(CHUNK);
    let left = maxBytes;
    const next = () => {
      const bytes = attempt(name, () => readSync(handle, buffer, 0, CHUNK, null));
      left -= bytes;
      if (left < 0) throw tooLarge(name, maxBytes, ": raise the option `maxBytes` if that is right");
      return buffer.subarray(0, bytes);
    };
    const first = firstPiece(next);
    requireText(name, first);
    const head = withoutMark(decode(first));
    return use({ name, head, chunks: pieces(head, next, decode) });
  } finally {
    closeSync(handle);
  }
}

/** The whole text of a stream, by the rules of {@link withFile}. @throws {PrefixFileError} */
export async function streamText(name: string, stream: AsyncIterable<Uint8Array | string>): Promise<string> {
  const parts: Uint8Array[] = [];
  let left = LARGEST_FILE;
  for await (const chunk of stream) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    left -= bytes.length;
    if (left < 0) throw tooLarge(name, LARGEST_FILE);
    parts.push(bytes);
  }
  const bytes = Buffer.concat(parts);
  requireText(name, bytes);
  const decode = decoderOf(name);
  return withoutMark(`${decode(bytes)}${decode()}`);
}

/** @throws {PrefixFileError} for the first bytes of a file that holds no UTF-8 text */
function requireText(name: string, first: Uint8Array): void {
  const other = OTHERS.find(({ bytes }) => bytes.every((byte, index) => first[index] === byte));
  if (other) throw unreadable(name, `${other.what}.`);
}

/** Decodes a text piece by piece; without a piece, its end. */
function decoderOf(name: string): (bytes?: Uint8Array) => string {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  return (bytes) =>
    caught(
      () => decoder.decode(bytes, { stream: bytes !== undefined }),
      TypeError,
      (error) => {
        throw unreadable(name, "is not UTF-8 text: save it as UTF-8.", error);
      },
    );
}

/** The beginning of a file, as much as shows its format: a pipe gives less at once. */
function firstPiece(next: () => Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let bytes = 0, part = next(); part.length > 0; part = next()) {
    parts.push(Buffer.from(part));
    bytes += part.length;
    if (bytes >= CHUNK) break;
  }
  return Buffer.concat(parts);
}

function* pieces(head: string, next: () => Buffer, decode: (bytes?: Buffer) => string): Generator<string, void> {
  yield head;
  for (let bytes = next(); bytes.length > 0; bytes = next()) yield decode(bytes);
  yield decode();
}

/** The text without a byte order mark, which some editors write. */
function withoutMark(text: string): string {
  return text.startsWith("\uFEFF") ? text.slice(1) : text;
}

function attempt<T>(name: string, work: () => T): T {
  return caught(work, Error, (error) => {
    const isLate = codeOf(error) === "EAGAIN";
    const why = isLate
      ? 'is a pipe without data at this moment: write it to a file first, or pipe it to standard input ("-").'
      : `cannot be read (${error.message}).`;
    throw unreadable(name, why, error);
  });
}

function tooLarge(name: string, maxBytes: number, remedy = ""): PrefixFileError {
  return unreadable(name, `is larger than ${maxBytes} bytes${remedy}.`);
}

function unreadable(file: string, message: string, cause?: Error): PrefixFileError {
  return new PrefixFileError([{ file, line: 1, column: 1, message }], cause && { cause });
}

/** Longest line, in characters. A longer one is not an entry of any list, and is not kept in memory. */
export const LONGEST_LINE = 1024 * 1024;

/**
 * The lines of a text in pieces, without LF, CR LF or CR. A line that is longer than {@link LONGEST_LINE} is cut somewhat above
 * that length, so that the caller can refuse it.
 */
export function* linesOf(chunks: Iterable<string>): Generator<string, void> {
  let [begun, hasEnded] = ["", false];
  for (const piece of chunks) {
    // The CR may be in the piece before.
    const whole = hasEnded && piece.startsWith("\n") ? piece.slice(1) : piece;
    hasEnded = piece.endsWith("\r");
    const chunk = whole.includes("\r") ? whole.replace(/\r\n?/g, "\n") : whole;
    let start = 0;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", start)) {
      yield begun + chunk.slice(start, end);
      begun = "";
      start = end + 1;
    }
    if (begun.length <= LONGEST_LINE) begun += chunk.slice(start);
  }
  if (begun !== "") yield begun;
}
