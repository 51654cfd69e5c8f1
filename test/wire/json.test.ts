import * as fc from "fast-check";
import { expect, it } from "vitest";
import { parseJson, readNumber, refuseRepeated, ShapeError } from "../../provider/wire/json";

it("reads what JSON.parse reads", () => {
  fc.assert(
    fc.property(fc.jsonValue({ depthSize: "medium" }), (value) => {
      fc.pre(!JSON.stringify(value).includes("__proto__"));
      const text = JSON.stringify(value);
      fc.pre(!/(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/.test(text));
      expect(parseJson(text)).toEqual(JSON.parse(text));
    }),
  );
});

it("digits in texts stay as they are, whatever the quotation marks and backslashes around them", () => {
  const long = fc.constantFrom("12345678901234567890", "-9007199254740993", '"', "\\", ",", ":", "[", "]", " ", "a");
  const text = fc.array(long, { maxLength: 8 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.array(fc.oneof(text, fc.constant(2 ** 60)), { maxLength: 8 }), (values) => {
      const json = JSON.stringify(values);
      expect(parseJson(json)).toEqual(values.map((value) => (typeof value === "number" ? String(value) : value)));
    }),
  );
});

it("keeps the digits of integers that a double cannot hold, and nothing else as text", () => {
  expect(
    parseJson(
      '{"a":9007199254740991,"b":9007199254740993,"c":-9223372036854775808,"d":"9007199254740993","e":1.12345678901234567890,"f":1e30,"g":"\\"18446744073709551615,"}',
    ),
  ).toEqual({
    a: 9007199254740991,
    b: "9007199254740993",
    c: "-9223372036854775808",
    d: "9007199254740993",
    e: 1.1234567890123457,
    f: 1e30,
    g: '"18446744073709551615,',
  });
});

it.each(['{"data":[1],"data":[]}', '[{"b":{"a":"\\":","\\u0061" : 2}}]'])("a list refuses a name twice: %s", (text) => {
  expect(() => refuseRepeated(text, parseJson(text))).toThrow(ShapeError);
});

it("a long text is no repeated name", () => {
  const text = JSON.stringify({ a: '":'.repeat(5_000_000), b: 1 });
  expect(() => refuseRepeated(text, parseJson(text))).not.toThrow();
});

it.each(['{"__proto__":{"polluted":true}}', '[{"a":{"__proto__":1}}]', '{"\\u005f_proto__":1}'])(
  "refuses %s",
  (text) => {
    expect(() => parseJson(text)).toThrow(ShapeError);
  },
);

it.each(["", "{", '{"a":1,}', "ok", "{“url”:1}"])("is no JSON: %s", (text) => {
  expect(() => parseJson(text)).toThrow(SyntaxError);
});

it("keeps them wherever in the text they stand", () => {
  const texts = Array.from({ length: 40 }, (_, spaces) => `${" ".repeat(spaces)}[9007199254740993,1]`);
  expect(texts.map(parseJson)).toEqual(texts.map(() => ["9007199254740993", 1]));
});

it("a long text is no reason for a stack overflow", () => {
  const text = JSON.stringify(["9".repeat(20), '\\"'.repeat(1_000_000)]);
  expect(parseJson(text)).toEqual(JSON.parse(text));
});

it("numbers may be quoted; the digits are kept where the double is not exact", () => {
  expect(readNumber(5)).toEqual({ number: 5 });
  expect(readNumber("-5")).toEqual({ number: -5 });
  expect(readNumber("0x5")).toEqual({ number: 5 });
  expect(readNumber("0xFFFFFFFFFFFFFFFF")).toEqual({ number: 2 ** 64, exact: "18446744073709551615" });
  expect(readNumber("18446744073709551615")).toEqual({ number: 2 ** 64, exact: "18446744073709551615" });
  for (const value of [
    "",
    " 5",
    "5.0",
    "0x",
    "0xg",
    "1e3",
    null,
    true,
    {},
    [],
    Number.NaN,
    Number.POSITIVE_INFINITY,
    "9".repeat(40),
  ]) {
    expect(readNumber(value)).toBeUndefined();
  }
});
