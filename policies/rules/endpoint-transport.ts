import { z } from "zod";
import type { Prefix } from "../../provider/model/prefix";
import { some } from "../../provider/model/text";
import { host, prefix } from "../config/values";
import { type Connection, SetResource } from "../resources";
import { resourceRule } from "../rule";
import { unreadSettings } from "../settings-finding";
import { transportSafety } from "../transport-safety";

/** A client that can write to a node decides which packets the network drops, and a signaling url contains the secret. */
export const endpointTransport = resourceRule({
  name: "endpoint-transport",
  level: "advisory",
  description: "Nodes and receivers are reached by https, on this machine, or on a management network.",
  on: ["PrefixSet", "PrefixSetEntry", "CloudSignaling"],
  needs: [],
  configure: ["managementPrefixes", "rules.endpoint-transport"],
  exceptionsBy: ["set"],
  config: z.strictObject({
    networks: z
      .array(prefix)
      .default([])
      .describe("Networks on which http is allowed, in addition to `managementPrefixes`."),
    hosts: z.array(host).default([]).describe("Host names for which http is allowed, without scheme, port and path."),
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

  *judge(resource, { settings, meaning }) {
    const isSet = resource instanceof SetResource;
    const connections = isSet ? resource.nodes : [resource.receiver];
    const isAllowed = (host: Prefix) =>
      meaning.managementIfAny.covering(host) !== undefined ||
      settings.networks.some((network) => network.contains(host));
    yield* unreadSettings(isSet ? "node" : "receiver", connections);
    const open: Connection[] = [];
    for (const connection of connections) {
      const safety = connection.url === undefined ? "none" : transportSafety(connection.url, isAllowed, settings.hosts);
      if (safety === "open") open.push(connection);
    }
    if (open.length > 0) {
      const what = isSet ? nodesOf(open) : `the address of its receiver${nameOf(open)}`;
      yield {
        problem: `${what} ${open.length > 1 ? "are" : "is"} reached without TLS on an unlisted network`,
        remedy: "Use an https address, or list the network or host.",
      };
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
