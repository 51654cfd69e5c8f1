import { z } from "zod";
import type { Prefix } from "../../provider/model/prefix";
import { some } from "../../provider/model/text";
import { prefix } from "../config/values";
import { type Connection, SetResource } from "../resources";
import { resourceRule } from "../rule";
import { transportSafety } from "../transport-safety";

/** A client that can write to a node decides which packets the network drops, and a signaling url contains the secret. */
export const endpointTransport = resourceRule({
  name: "endpoint-transport",
  level: "advisory",
  description: "Nodes and receivers are reached by https, on this machine, or on a management network.",
  on: ["PrefixSet", "PrefixSetEntry", "CloudSignaling"],
  needs: [],
  configure: ["managementPrefixes", "rules.endpoint-transport"],
  config: z.strictObject({
    networks: z
      .array(prefix)
      .default([])
      .describe("Networks on which http is allowed, in addition to `managementPrefixes`."),
    hosts: z.array(z.string().min(1)).default([]).describe("Host names for which http is allowed."),
  }),
  example: {
    resources: [
      {
        kind: "PrefixSet",
        name: "blocked",
        inputs: { node: { endpoint: "http://node.example.net" }, arena: "edge", set: "blocked", entries: {} },
      },
    ],
  },

  *judge(resource, { settings, meaning, environment }) {
    const isSet = resource instanceof SetResource;
    const connections = isSet ? resource.nodes : [resource.receiver];
    const fallback = isSet ? environment.PACKETFILTER_ENDPOINT : environment.PACKETFILTER_SIGNALING_URL;
    const isAllowed = (host: Prefix) =>
      meaning.managementIfAny.covering(host) !== undefined ||
      settings.networks.some((network) => network.contains(host));
    const found: Record<"open" | "unreadable", Connection[]> = { open: [], unreadable: [] };
    for (const connection of connections) {
      const address = connection.url ?? (connection.name === undefined ? fallback : undefined);
      const safety = address === undefined ? undefined : transportSafety(address, isAllowed, settings.hosts);
      if (safety === "open" || safety === "unreadable") found[safety].push(connection);
    }
    const remedy = "Use an https address, or list the network or host.";
    const what = (named: readonly Connection[]) =>
      isSet ? nodesOf(named) : `the address of its receiver${nameOf(named)}`;
    if (found.unreadable.length > 0) {
      yield {
        problem: `${what(found.unreadable)} ${found.unreadable.length > 1 ? "are no urls" : "is not a url"}`,
        remedy,
      };
    }
    if (found.open.length > 0) {
      const are = found.open.length > 1 ? "are" : "is";
      yield { problem: `${what(found.open)} ${are} reached without TLS on an unlisted network`, remedy };
    }
  },
});

function nodesOf(nodes: readonly Connection[]): string {
  return nodes.length > 1
    ? `the endpoints of its nodes ${some(nodes.map(({ name }) => JSON.stringify(name)))}`
    : `the endpoint of its node${nameOf(nodes)}`;
}

function nameOf([connection]: readonly Connection[]): string {
  return connection?.name === undefined ? "" : ` ${JSON.stringify(connection.name)}`;
}
