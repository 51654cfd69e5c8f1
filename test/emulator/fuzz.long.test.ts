import { expect, test } from "vitest";
import { deviations, startEmulator } from "../../provider/emulator";
import { pick, type RandomSource, seededRandom } from "../../provider/emulator/time/random";
import { fapi, signaling } from "./calls";

const URLS = [
  "prefixset://edge/blocked",
  "prefixset://edge/blocked/",
  "prefixset://edge/web/blocked",
  "prefixset://edge/none",
  "arena://edge",
  "profile://edge/web",
  "mark://edge/web",
  "mark:/edge",
  "",
] as const;
const PREFIXES = [
  "192.0.2.0/24",
  "192.0.2.1",
  "192.0.2.1/24",
  "2001:db8::/32",
  "2001:DB8::1",
  "10.0.0.0/8",
  "none",
  "",
] as const;

function item(random: RandomSource): unknown {
  const prefix = pick(random, PREFIXES);
  return pick<unknown>(random, [
    { p: prefix, v: Math.floor(random() * 300) },
    { p: prefix, v: -1 },
    { a: prefix },
    { p: prefix },
    prefix,
    null,
    { p: prefix, v: 1, w: 2 },
  ]);
}

function command(random: RandomSource): unknown {
  const data = Array.from({ length: Math.floor(random() * 6) }, () => item(random));
  const base = { url: pick(random, URLS), cmd: pick(random, ["list", "insert", "delete", "commit", "drop"]) };
  return pick<unknown>(random, [
    base,
    { ...base, data },
    { ...base, data },
    { ...base, type: pick(random, ["shost", "conn", "x"]) },
    data,
    7,
  ]);
}

test("whatever is sent in whatever dialect, the emulator answers and stays whole", async () => {
  for (let seed = 0; seed < 40; seed += 1) {
    const random = seededRandom(seed);
    await using emulator = await startEmulator({ dialect: `seed:${seed}` });
    const [client] = emulator.clients;
    const said = `seed ${seed}: ${JSON.stringify(deviations(emulator.dialect))}`;
    for (let n = 0; n < 40; n += 1) {
      const answer =
        n % 5 === 4
          ? await signaling(emulator.signalingUrl, client, pick(random, ["status", "start", "stop"]), undefined).then(
              () =>
                signaling(emulator.signalingUrl, client, pick(random, ["start", "stop"]), [
                  pick(random, ["198.51.100.7", "198.51.100.7/32", "198.51.100.0/25", "192.0.2.0/24"]),
                ]),
            )
          : await fapi(emulator, command(random));
      expect(answer.text, said).not.toContain("defect");
      expect([200, 201, 204, 400, 403, 404, 405, 409, 410, 413, 422, 429], said).toContain(answer.status);
    }
    expect(emulator.journal.length, said).toBeGreaterThan(40);
    for (const entry of emulator.journal) expect(entry.status, said).toBeGreaterThan(0);

    // Everything that it holds can be taken out and put in again.
    emulator.clock.freeze();
    const state = emulator.state();
    emulator.seed(state);
    expect(emulator.state(), said).toEqual(state);
  }
}, 120_000);
