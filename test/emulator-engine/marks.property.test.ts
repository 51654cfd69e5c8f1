import fc from "fast-check";
import { expect, test } from "vitest";
import { dialect } from "../../provider/emulator/behaviour/dialect";
import { MarkStore, type ValueOperation } from "../../provider/emulator/marks";
import { listMarks } from "../../provider/emulator/node/mark-list";
import { PacketView } from "../../provider/emulator/packets";

const START = Date.UTC(2026, 0, 1);
const KEEP = 30;
const ADDRESSES = ["203.0.113.1", "203.0.113.2", "203.0.113.3", "2001:db8::1", "2001:db8::2"];

interface Held {
  address: string;
  id: number;
  value: number;
  created: number;
  expires: number;
  /** When the record got its present end: the order among records that end together. */
  since: number;
}

type Step =
  | { do: "mark"; address: string; id: number; operation: ValueOperation; operand: number; lifetime?: number }
  | { do: "put"; address: string; id: number; value: number; lifetime?: number; age: number }
  | { do: "wait"; time: number };

/** The same store as a map of objects that are compared with the clock one by one. */
class Model {
  now = START;
  private readonly held = new Map<string, Held>();
  private order = 0;

  constructor(private readonly capacity: number) {}

  run(step: Step): void {
    if (step.do === "wait") this.now += step.time;
    else {
      const { address, id, lifetime } = step;
      const end = this.now + (lifetime ?? Number.POSITIVE_INFINITY);
      this.forget();
      let held = this.held.get(`${address} ${id}`);
      const fresh = !held || held.expires <= this.now;
      if (!held) this.makeRoom(address);
      if (!held || fresh) {
        held = { address, id, value: 0, created: this.now, expires: Number.POSITIVE_INFINITY, since: this.order++ };
        this.held.set(`${address} ${id}`, held);
      }
      const changed = held.expires !== end;
      if (step.do === "put") {
        Object.assign(held, { value: step.value, created: this.now - step.age, expires: end });
      } else {
        if (lifetime !== undefined) held.expires = end;
        if (step.operation === "set") held.value = step.operand;
        else if (step.operation === "max") held.value = Math.max(held.value, step.operand);
        else held.value += step.operand;
      }
      if (changed && held.expires === end) held.since = this.order++;
    }
  }

  /** Everything that is there, expired records included. */
  records(): unknown[] {
    this.forget();
    return [...this.held.values()].map(({ address, id, value, created, expires }) => ({
      ...{ a: address, id, v: value },
      ...(expires < Number.POSITIVE_INFINITY && { t: Math.max(0, Math.ceil((expires - this.now) / 1000)) }),
      age: Math.floor((this.now - created) / 1000),
      status: expires > this.now ? "active" : "expired",
    }));
  }

  private forget(): void {
    for (const [key, { expires }] of this.held) if (expires + KEEP * 1000 <= this.now) this.held.delete(key);
  }

  private makeRoom(address: string): void {
    const family = [...this.held].filter(([, held]) => held.address.includes(":") === address.includes(":"));
    if (family.length < this.capacity) return;
    const byEnd = family.sort(([, a], [, b]) => (a.expires === b.expires ? a.since - b.since : a.expires - b.expires));
    this.held.delete(byEnd[0]?.[0] ?? "");
  }
}

/** All records in the form of a list. */
function listed(marks: MarkStore): unknown[] {
  const shown = dialect({ markAge: "shown", markExpired: "shown" });
  const { body } = listMarks(marks, { kind: "mark", arena: "edge", profile: "web" }, "shost", shown);
  return JSON.parse(String(body)).data;
}

function runBoth(steps: Step[], capacity: number): void {
  const model = new Model(capacity);
  const marks = new MarkStore({ now: () => model.now, keepExpired: KEEP, capacity });
  const sorted = (records: unknown[]) => records.map((record) => JSON.stringify(record)).sort();
  for (const step of steps) {
    model.run(step);
    if (step.do === "mark") {
      const to = step.address.includes(":") ? "2001:db8::ff" : "198.51.100.7";
      const packet = new PacketView().read({ from: step.address, to, proto: "udp" });
      marks.touch({ type: "shost", ...step }, packet, model.now);
    } else if (step.do === "put") {
      const { address, id, value, age } = step;
      const lifetime = step.lifetime === undefined ? undefined : step.lifetime / 1000;
      marks.put("shost", { address, id, value, lifetime, age: age / 1000 });
    }
    const expected = model.records() as { status: string }[];
    expect(sorted(listed(marks))).toEqual(sorted(expected));
    if (step.do !== "wait") continue; // counting lets time pass to the millisecond, which must not be needed
    const active = expected.filter(({ status }) => status === "active").length;
    expect(marks.count("shost")).toEqual({ active, expired: expected.length - active });
  }
  const copy = new MarkStore({ now: () => model.now, keepExpired: KEEP });
  copy.import(JSON.parse(JSON.stringify(marks.export())));
  expect(sorted(listed(copy))).toEqual(sorted(model.records()));
}

function stepsOf(time: fc.Arbitrary<number>, lifetime: fc.Arbitrary<number>): fc.Arbitrary<Step[]> {
  const key = { address: fc.constantFrom(...ADDRESSES), id: fc.constantFrom(0, 1, 4294967295) };
  const operation = fc.constantFrom<ValueOperation>("set", "add", "max");
  const optional = fc.option(lifetime, { nil: undefined });
  const value = fc.nat(1000);
  return fc.array(
    fc.oneof(
      {
        weight: 30,
        arbitrary: fc.record({ do: fc.constant("mark"), ...key, operation, operand: value, lifetime: optional }),
      },
      {
        weight: 10,
        arbitrary: fc.record({ do: fc.constant("put"), ...key, value, lifetime: optional, age: fc.nat(9999) }),
      },
      { weight: 20, arbitrary: fc.record({ do: fc.constant("wait"), time }) },
    ) as fc.Arbitrary<Step>,
    { maxLength: 60 },
  );
}

test("the store holds what a map of records would hold, whatever happens and however long it waits", () => {
  const time = fc.oneof(fc.nat(3000), fc.nat(100_000), fc.nat(20_000_000));
  const lifetime = fc.oneof(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 1, max: 9_000_000 }));
  fc.assert(
    fc.property(stepsOf(time, lifetime), (steps) => runBoth(steps, 1000)),
    { seed: 1, numRuns: 400 },
  );
});

test("a full table evicts the record that a search through all of them would choose", () => {
  // whole seconds, as the order is kept to the second; within the span of the wheel, as beyond it the oldest goes
  const time = fc.nat(100).map((seconds) => seconds * 1000);
  const lifetime = fc.integer({ min: 1, max: 4000 }).map((seconds) => seconds * 1000);
  fc.assert(
    fc.property(stepsOf(time, lifetime), (steps) => runBoth(steps, 3)),
    { seed: 2, numRuns: 400 },
  );
});
