import type { PeerName, Step, Workload } from "../plan";

/** Names in tables. */
export const STEP_TITLES: Readonly<Record<Step, string>> = {
  create: "create",
  nothing: "no change",
  change: "1 % change",
  refresh: "refresh",
  destroy: "destroy",
};

export const WORKLOAD_TITLES: Readonly<Record<Workload, string>> = { set: "One set", entries: "Single entries" };

/** Who is compared. `does` and `not` hold for any figures: they follow from the programs in `test/bench/peers`. */
export const ABOUT: Readonly<Record<PeerName, { title: string; source: string; does: string; not: string }>> = {
  floor: {
    title: "engine's floor",
    source: "programs/nothing.js",
    does: "dynamic resources with the same arguments that do nothing: what the Pulumi engine, its program and its provider process cost",
    not: "asks no node",
  },
  ours: {
    title: "this package",
    source: "programs/ours-set.js",
    does: "`PrefixSet`, or a `PrefixSetEntry` for each entry: lists before it writes, writes what differs in requests of bounded size, commits once for all resources in hand, and lists again to see that the commit took effect; tries again what failed",
    not: "what others added goes with `--refresh` only; the two lists are requests that others save",
  },
  plugin: {
    title: "this package's plugin",
    source: "programs/plugin-set.js",
    does: "the same programs with `provider`: the resources of the plugin, in a process of its own",
    not: "as this package",
  },
  "by-hand": {
    title: "by hand, entry by entry",
    source: "programs/by-hand.js",
    does: "the dynamic provider that a user would write: for a set a request for each entry and one commit, for a single entry an insert and a commit; a refresh lists",
    not: "no retry, no look at whether a commit took effect, no commit for several resources, and a step that fails half-way leaves the state as it was",
  },
  "in-bulk": {
    title: "by hand, in bulk",
    source: "programs/by-hand.js",
    does: "the same with 1 000 entries a request, for a set only: what such a provider becomes after its first slow day",
    not: "as above",
  },
  terraform: {
    title: "Terraform with curl",
    source: "terraform",
    does: "the generic way: `terraform_data` with curl when it is made and when it is destroyed, ten at a time",
    not: "cannot see drift, since nothing in it reads the node; a change is a destroy and a create, between which the entries are gone at the node; no retry, no look at whether a commit took effect",
  },
  "terraform-map": {
    title: "Terraform's floor",
    source: "terraform",
    does: "`terraform_data` with the same map, or one for each entry: what Terraform itself costs",
    not: "asks no node",
  },
  script: {
    title: "shell script",
    source: "sync.sh",
    does: "curl and jq: lists, compares, inserts and deletes 1 000 entries a request, commits once; the same file and the same script for both parts",
    not: "no state, so everything else in the set is removed; no preview, no retry, no look at whether the commit took effect; prefixes must be spelled as the node spells them",
  },
};
