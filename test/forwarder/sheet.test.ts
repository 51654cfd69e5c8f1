import * as fc from "fast-check";
import { expect, test } from "vitest";
import { writeLines } from "../../provider/forwarder/record/lines";
import { RowWriter } from "../../provider/forwarder/record/rows";
import { joined, Sheet } from "../../provider/forwarder/record/sheet";

const ALL = { start: 0, end: Number.POSITIVE_INFINITY };

/** A batch of the spool with so many rows. */
function batchOf(rows: number): Buffer {
  const writer = new RowWriter(() => undefined);
  for (let n = 0; n < rows; n++) writer.add("seen", `198.18.0.${n & 255}`, n, n * 1_000, 60);
  const head = {
    node: "fra1",
    arena: "edge",
    profile: "web",
    type: "shost",
    at: 0,
    epoch: 1,
    first: 1,
    id: "a",
    rules: [],
  };
  const [chunk] = writer.finish();
  return Buffer.from(`{"head":${JSON.stringify(head)},"rows":${chunk?.rows}}`);
}

test("natural numbers and texts are written as their own methods write them", () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.string({ unit: "grapheme", maxLength: 100 }), (number, text) => {
      const sheet = new Sheet(0);
      sheet.natural(number, 10);
      sheet.text(text);
      sheet.natural(number, 36);
      expect(sheet.cut().toString()).toBe(`${number}${text}${number.toString(36)}`);
    }),
  );
});

test("numbers of rows are those that a node sent, whole or not, and null where it sent none", () => {
  const numbers = [0, 9, 10, 2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1, 2 ** 53, 1e21, -1, -70_000, 0.5, 1e-7];
  const writer = new RowWriter(() => undefined);
  for (const number of numbers) writer.add("seen", "203.0.113.45", number, Number.NaN, 1);
  const rows = writer.finish().flatMap(({ rows }) => JSON.parse(rows.toString()));
  expect(rows).toEqual(numbers.map((number) => [0, "203.0.113.45", number, null, 1]));
});

test("lines of several batches stand one behind the other, and are joined without a copy", () => {
  const sheet = new Sheet(200_000);
  const pieces = [batchOf(100), batchOf(50), batchOf(1)].map((batch) => writeLines(batch, ALL, sheet));
  const all = joined(pieces);
  expect(all.buffer).toBe(pieces[0]?.buffer);
  expect(all.equals(Buffer.concat(pieces))).toBe(true);
});

test("a sheet that is too small, or used by several, costs a copy and loses nothing", () => {
  const small = new Sheet(10);
  const batches = [batchOf(100), batchOf(50), batchOf(1)];
  const pieces = batches.map((batch) => writeLines(batch, ALL, small));
  const whole = batches.map((batch) => writeLines(batch, ALL, new Sheet(0)));
  expect(joined(pieces).equals(Buffer.concat(whole))).toBe(true);
  const [first, , third] = pieces;
  expect(joined([third, first] as Buffer[]).equals(Buffer.concat([whole[2], whole[0]] as Buffer[]))).toBe(true);
  expect(joined([]).length).toBe(0);
});

test("a batch whose text is broken is refused, wherever it is cut off or a byte of its form is another", () => {
  const batch = batchOf(2);
  const written = (body: Buffer) => () => writeLines(body, ALL, new Sheet(0));
  for (let length = 0; length < batch.length; length++) {
    expect(written(batch.subarray(0, length)), `${length} bytes`).toThrow(SyntaxError);
  }
  const rows = batch.indexOf('"rows"');
  for (const [at, byte] of batch.entries()) {
    if (at < rows || !'"[]{}:,'.includes(String.fromCharCode(byte))) continue;
    const other = Buffer.from(batch);
    other[at] = 0x07;
    expect(written(other), `byte ${at}`).toThrow(SyntaxError);
  }
});
