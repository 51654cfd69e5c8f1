import { expect, test } from "vitest";
import { MarkStore, marksSchema } from "../../provider/emulator/marks";
import { PacketView } from "../../provider/emulator/packets";

test("a record counts up to the largest value and stays there", () => {
  const now = Date.UTC(2026, 0, 1);
  const marks = new MarkStore({ now: () => now });
  const packet = new PacketView().read({ from: "203.0.113.45", to: "198.51.100.7", proto: "tcp" });
  const touch = (operation: "set" | "add" | "max", operand: number) =>
    marks.touch({ type: "dhost", id: 1, operation, operand }, packet, now);
  expect([touch("max", 7), touch("max", 3), touch("add", 5), touch("set", 2)]).toEqual([7, 7, 12, 2]);
  expect(touch("add", 2 ** 40)).toBe(2 ** 32 - 1);
});

test("records are refused at the door with the place and the reason", () => {
  const issues = (value: unknown) =>
    marksSchema.safeParse(value).error?.issues.map(({ path, message }) => [path.join("."), message]);
  expect(issues({ shost: [{ address: "203.0.113.0/24", id: 1 }] })).toEqual([
    ["shost.0.address", '"203.0.113.0/24" is a prefix of many addresses: write one address, as in "203.0.113.0".'],
  ]);
  expect(issues({ shost: [{ address: "203.0.113.1" }] })).toEqual([
    ["shost.0.id", expect.stringContaining("expected number")],
  ]);
  const marks = new MarkStore({ now: () => 0 });
  const mixed = { source: "203.0.113.1", destination: "2001:db8::1", id: 1 };
  expect(() => marks.put("sdhost", mixed)).toThrow("the address families differ");
  expect(() => marks.put("shost", { id: 1 })).toThrow("a record of shost needs `address`");
});

test("marks that are over take no room", () => {
  let now = Date.UTC(2026, 0, 1);
  const marks = new MarkStore({ now: () => now, keepExpired: 0 });
  const sizes = [1, 2, 3].map((wave) => {
    for (let host = 0; host < 9; host += 1)
      marks.put("shost", { address: `192.0.2.${10 * wave + host}`, id: 1, lifetime: 1 });
    now += 2_000;
    return marks.bytes;
  });
  expect(new Set(sizes).size).toBe(1);
});
