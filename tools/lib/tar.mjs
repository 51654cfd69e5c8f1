// @ts-check

/** The same files are the same bytes, on whatever day: 2000-01-01. */
const MODIFIED_S = 946_684_800;
const BLOCK = 512;

/** @typedef {{ name: string, content: string | Buffer, executable?: boolean }} Member `name` is a path with slashes, of at most 100 bytes */

/**
 * A tar archive (ustar) of files alone: no folders, links, owners or times of their own.
 *
 * @param {readonly Member[]} members
 * @returns {Buffer}
 */
export function tar(members) {
  const blocks = members.flatMap(({ name, content, executable = false }) => {
    const bytes = Buffer.from(content);
    return [header(name, bytes.length, executable), bytes, Buffer.alloc((BLOCK - (bytes.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

/** @param {string} name @param {number} size @param {boolean} executable */
function header(name, size, executable) {
  if (Buffer.byteLength(name) > 100) throw new Error(`${name} is longer than the 100 bytes of a name in a tar archive`);
  const block = Buffer.alloc(BLOCK);
  const octal = (/** @type {number} */ value, /** @type {number} */ offset, /** @type {number} */ digits) =>
    block.write(value.toString(8).padStart(digits, "0"), offset);
  block.write(name, 0);
  octal(executable ? 0o755 : 0o644, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(MODIFIED_S, 136, 11);
  block.write("0", 156);
  block.write("ustar\u000000", 257);
  // The sum is taken with blanks in its own place.
  block.write("        ", 148);
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  block.write("\u0000 ", 154);
  return block;
}
