import { expect, test } from "vitest";
import type { ProbeOptions } from "../../provider/probe/probe";
import type { Reply } from "./appliances/appliance";
import { type NodeKind, PLAIN } from "./appliances/nodes";
import { probed, startDrawn } from "./appliances/probing";
import { RECEIVERS, type ReceiverKind } from "./appliances/receivers";

const LIMITS = { entries: 400, bytes: 16_384 };

/** Probes an appliance that is plain but for some answers, and lets nothing be left behind. */
async function probedWith(
  answers: { readonly node?: Partial<NodeKind>; readonly receiver?: Partial<ReceiverKind> },
  options: Partial<ProbeOptions> = {},
) {
  const kinds = { node: { ...PLAIN, ...answers.node }, receiver: { ...RECEIVERS.plain, ...answers.receiver } };
  await using appliance = await startDrawn(kinds);
  const { url: endpoint } = appliance;
  const result = await probed(appliance, { limits: LIMITS, ...options, node: { endpoint, ...options.node } });
  expect([result.left, appliance.held("edge/probe"), appliance.signaled()]).toEqual([[], {}, []]);
  const said = (point: string) => {
    const { expressed, node: text } = result.findings.find((one) => one.point === point) ?? {};
    return { expressed, text };
  };
  return { ...result, said };
}

test.each<[string, Reply]>([
  ["a page that is not there", { status: 404, body: "not found" }],
  ["a form", { body: "<html><title>Log in</title></html>" }],
])("a redirect to a login is no address of the node: %s", async (_, login) => {
  const instead: NodeKind["instead"] = ({ path }) =>
    path.startsWith("/login") ? login : { status: 302, body: "", headers: { location: "/login" } };
  const { said, node, dialect } = await probedWith({ node: { instead } }, { write: false });
  expect(said("redirect").expressed).toBe("unknown");
  expect({ node, redirect: dialect.redirect }).toEqual({ node: {}, redirect: undefined });
});
