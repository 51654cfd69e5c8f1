import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startEmulator } from "../../provider/emulator";
import { readStates } from "../../provider/emulator/state/state-file";

const address = (i: number) => `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
const marks = (count: number, value: number) =>
  Array.from({ length: count }, (_, i) => ({ address: address(i), id: 7, value, lifetime: 60 }));
const entries = (count: number, value: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`${address(i)}/32`, value]));
const stateOf = (shost: unknown[]) => ({ arenas: { edge: { profiles: { web: { marks: { shost } } } } } });

test("a folder with 150 000 right marks is read, and one with 90 000 wrong ones is told", async () => {
  const folder = await mkdtemp(join(tmpdir(), "packetfilter-state-"));
  const write = (name: string, shost: unknown[]) => writeFile(join(folder, name), JSON.stringify(stateOf(shost)));
  await write("1.json", marks(10, 1));
  await write("2.json", marks(150_000, 1));
  const state = await readStates(folder);
  expect(state?.arenas?.edge?.profiles?.web?.marks?.shost).toHaveLength(150_010);
  await write("2.json", marks(90_000, -1));
  await expect(readStates(folder)).rejects.toThrow(
    /shost\.0\.value: must be at least 0, not -1; .*shost\.9\.value: .*; and 89990 more\.$/,
  );
  await rm(folder, { recursive: true });
});

test("of 200 000 wrong entries the first are told, and the others counted", async () => {
  const state = { arenas: { edge: { sets: { blocked: entries(200_000, -1), other: entries(3, -1) } } } };
  await expect(startEmulator({ state })).rejects.toThrow(
    /10\.0\.0\.0\/32: must be at least 0, not -1; .*and 199993 more\.$/,
  );
});
