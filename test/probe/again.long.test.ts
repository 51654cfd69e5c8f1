import { expect, test } from "vitest";
import { Prefix } from "../../provider/model/prefix";
import { parseUrl } from "../../provider/model/resource-url";
import { probe } from "../../provider/probe/probe";
import { useFolder } from "../support/folder";
import { APPLIANCES, OWN } from "./appliances/appliance";
import { probed, startAppliance, writtenBy } from "./appliances/probing";

const folder = useFolder();

test.each(APPLIANCES)("a second probe of %s, with what the first wrote, writes the same", async (name) => {
  await using appliance = await startAppliance(name);
  const { result: first, node, receiver } = await writtenBy(appliance, name, folder);
  const second = await probed(appliance, { node, receiver: { options: receiver, prefix: Prefix.parse(OWN) } });
  const of = ({ node, receiver, dialect }: typeof first) => ({ node, receiver, dialect });
  expect(of(second)).toEqual(of(first));
});

test("what only --write can find out stays where a second probe does not write", async () => {
  await using appliance = await startAppliance("connection");
  const node = { endpoint: appliance.url, maxConcurrency: 1 };
  const urls = [parseUrl("prefixset://edge/probe")];
  const { node: settings } = await probe({ node, urls, world: appliance.world() });
  expect(settings).toEqual({ maxConcurrency: 1 });
});
