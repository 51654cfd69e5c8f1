import { z } from "zod";
import type { Prefix } from "../../provider/model/prefix";
import { prefix } from "../config/values";
import { SetResource } from "../resources";
import { resourceRule } from "../rule";
import { transportSafety } from "../transport-safety";

/** Anyone who can write to a node decides what the network drops, and a signaling address holds the secret. */
export const endpointTransport = resourceRule({
  name: "endpoint-transport",
  level: "advisory",
  description: "Nodes and receivers are reached by https, on this machine, or on a management network.",
  on: ["PrefixSet", "PrefixSetEntry", "CloudSignaling"],
  needs: [],
  configure: ["managementPrefixes", "rules.endpoint-transport"],
  config: z.strictObject({
    networks: z.array(prefix).default([]).describe("Networks on which http is fine, beside `managementPrefixes`."),
    hosts: z.array(z.string().min(1)).default([]).describe("Host names for which http is fine."),
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
    const connection = isSet ? resource.node : resource.receiver;
    const fallback = isSet ? environment.PACKETFILTER_ENDPOINT : environment.PACKETFILTER_SIGNALING_URL;
    const address = connection.url ?? (connection.name === undefined ? fallback : undefined);
    if (address === undefined) return;
    const isAllowed = (host: Prefix) =>
      meaning.managementIfAny.covering(host) !== undefined ||
      settings.networks.some((network) => network.contains(host));
    const found = transportSafety(address, isAllowed, settings.hosts);
    if (found !== "open" && found !== "unreadable") return;
    const what = isSet ? "the endpoint of its node" : "the address of its receiver";
    const named = connection.name === undefined ? "" : ` ${JSON.stringify(connection.name)}`;
    yield {
      problem:
        found === "unreadable"
          ? `${what}${named} is not a url`
          : `${what}${named} is reached without TLS on a network that is not listed`,
      remedy: "Use an https address, or list the network or host.",
    };
  },
});
