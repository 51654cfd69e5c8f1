import { expect, test } from "vitest";
import { MarkStore } from "../../provider/emulator/marks";
import { PacketView } from "../../provider/emulator/packets";

test("wave after wave of short-lived marks leaves the store as large as one wave made it", () => {
  const clock = { time: Date.UTC(2026, 0, 1) };
  const marks = new MarkStore({ now: () => clock.time, keepExpired: 0 });
  const packet = new PacketView().read({ from: "2001:db8::", to: "2001:db8:1::1", proto: "udp" });
  const wave = (number: number) => {
    packet.source[2] = number;
    for (packet.source[3] = 0; packet.source[3] < 30_000; packet.source[3]++)
      marks.touch({ type: "shost", id: 1, operation: "add", operand: 1, lifetime: 1000 }, packet, clock.time);
    clock.time += 2000;
  };
  wave(0);
  const { bytes } = marks;
  for (let number = 1; number < 20; number++) {
    wave(number);
    expect([marks.bytes, marks.count("shost")]).toEqual([bytes, { active: 0, expired: 0 }]);
  }
});
