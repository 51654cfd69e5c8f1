import { expect, it } from "vitest";
import { NodeClient } from "../../provider/client";
import { startEmulator } from "../../provider/emulator";
import { GLOBAL, LOCAL, listed, STATE } from "./state";

it.each([
  { name: "global", set: GLOBAL, url: "prefixset://edge/blocked", commitUrl: "prefixset://edge/blocked/" },
  { name: "local", set: LOCAL, url: "prefixset://edge/web/blocked", commitUrl: "prefixset://edge/web/blocked" },
])("a $name prefix-set is listed, filled, committed and emptied", async ({ set, url, commitUrl }) => {
  await using emulator = await startEmulator({ state: STATE });
  const node = new NodeClient({ endpoint: emulator.endpoint });
  expect(listed(await node.listPrefixSet(set))).toEqual({ "203.0.113.0/24": 7 });

  await node.insert(set, [
    ["192.0.2.1", 1],
    ["2001:DB8::/32", 4294967295],
  ]);
  await node.delete(set, ["203.0.113.0/24"]);
  expect(emulator.prefixSet(url).applied).toEqual({ "203.0.113.0/24": 7 });

  await node.commit(set);
  expect(emulator.prefixSet(url).applied).toEqual({ "192.0.2.1/32": 1, "2001:db8::/32": 4294967295 });
  expect(listed(await node.listPrefixSet(set))).toEqual({ "192.0.2.1/32": 1, "2001:db8::/32": 4294967295 });
  expect(emulator.journal.map(({ cmd, rawUrl }) => [cmd, rawUrl])).toEqual([
    ["list", url],
    ["insert", url],
    ["delete", url],
    ["commit", commitUrl],
    ["list", url],
  ]);
  await node.close();
});
