import { expect, it } from "vitest";
import { SignalingClient } from "../../provider/client";
import { Prefix } from "../../provider/model/prefix";
import { BLOCKED, blockedSet, since, world } from "./support/world";

const PARTNERS = "prefixset://edge/partners";
const FOUND = { "192.0.2.0/25": 1, "192.0.2.128/25": 9, "203.0.113.0/24": 1, "2001:db8:7::/48": 4 };
const PROGRAM = `${blockedSet({ "192.0.2.0/25": 1, "192.0.2.128/25": 2, "198.51.100.9": { expires: "2020-01-01T00:00:00Z" } }, 'onExisting: "adopt"')}
  new pf.PrefixSetEntry("scanner", { arena: "edge", set: "partners", prefix: "203.0.113.4", onDestroy: "created" });
  new pf.CloudSignaling("attack", { prefixes: ["198.51.100.7", "198.51.100.8"] });`;

it("what was there before is reported, previewed before it goes, and kept on request", async () => {
  await using w = await world({ program: PROGRAM, config: { endpiont: "http://192.0.2.1" } });
  const { emulator, stack } = w;
  emulator.change(BLOCKED, { insert: FOUND });
  emulator.change(PARTNERS, { insert: { "203.0.113.4/32": 1 } });
  const [{ clientId = "", secretKey = "" } = {}] = emulator.clients;
  const other = new SignalingClient({ url: emulator.signalingUrl, clientId, secretKey });
  await other.ensureActive([Prefix.parse("198.51.100.7")]);
  await other.close();

  const adopted = await stack.up("--skip-preview");
  expect(adopted.code, adopted.text).toBe(0);
  expect(adopted.text).toContain(
    'a key "packetfilter:endpiont" that nothing reads: did you mean "packetfilter:endpoint"?',
  );
  expect(adopted.text).toMatch(/expired, not wanted: 198\.51\.100\.9\/32/);
  expect(adopted.text).toMatch(/203\.0\.113\.4\/32 was already there with this value/);
  expect(adopted.text).toMatch(
    /active before this resource: 198\.51\.100\.7\/32\. A destroy of this resource leaves it active/,
  );
  expect(emulator.prefixSet(BLOCKED).applied).toEqual(FOUND);

  const sent = since(emulator);
  for (const args of [[], ["--refresh"]]) {
    const preview = await stack.preview(...args);
    expect(preview.code, preview.text).toBe(0);
    expect(preview.text).toMatch(
      /up removes 2 entries that the program does not declare: 203\.0\.113\.0\/24, 2001:db8:7::\/48\./,
    );
    expect(preview.text).toMatch(
      /up changes 1 entry that the program does not declare with this value: 192\.0\.2\.128\/25 \(9 to 2\)\./,
    );
    expect(preview.text).toContain("expired, not wanted");
  }
  expect(sent()).toEqual([]);

  const done = await stack.up("--skip-preview");
  expect(done.code, done.text).toBe(0);
  expect(done.text).toMatch(
    /up removes 2 entries that the program does not declare: 203\.0\.113\.0\/24, 2001:db8:7::\/48\./,
  );
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({ "192.0.2.0/25": 1, "192.0.2.128/25": 2 });
  const destroyed = await stack.destroy();
  expect(destroyed.code, destroyed.text).toBe(0);
  expect(destroyed.text).toMatch(/left 203\.0\.113\.4\/32, which was there before this resource/);
  expect(destroyed.text).toMatch(/left as it was \(this resource did not start it\): 198\.51\.100\.7\/32/);
  expect(emulator.prefixSet(BLOCKED).applied).toEqual({});
  expect(emulator.prefixSet(PARTNERS).applied).toEqual({ "203.0.113.4/32": 1 });
  expect(emulator.signalings).toMatchObject({ "client-a": ["198.51.100.7/32"] });
});
