import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import * as pf from "pulumi-packetfilter";

const config = new pulumi.Config();
// What must never be blocked, whatever a list says: our own networks, and those that we cannot do without.
const own = config.getObject<string[]>("own") ?? ["198.51.100.0/26", "2001:db8:1::/48"];

const list = (name: string) => join(__dirname, "lists", name);

// A list that is empty, cut off or not a list fails here, and the set stays as it is.
const published = pf.mergeEntries(
  pf.readPrefixFile(list("level1.netset"), { reason: "FireHOL level 1" }),
  pf.readPrefixFile(list("drop_v4.json"), { maxEntries: 5_000 }),
);

// Of a prefix that several lists name, the last one says what it is: ours.
const all = pf.mergeEntries(published, pf.readPrefixFile(list("ours.yaml")));

const entries = pf.aggregatePrefixes(pf.excludePrefixes(all, own));

export const blocked = new pf.PrefixSet("blocked", {
  arena: "edge",
  set: "blocked",
  entries,
  // Says again what is excluded above, so that a mistake there fails in the preview.
  forbiddenPrefixes: own,
  // A list that lost much over night is looked at before it is believed.
  maxRemovals: "20%",
  maxEntries: 10_000,
}).count;

export const addresses = String(pf.countAddresses(entries).ipv4);
