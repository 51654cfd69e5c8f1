import { delimiter } from "node:path";
import { LANGUAGES, languageHosts } from "./languages";
import type { Reader } from "./reader";

const BLOCKED = "prefixset://edge/blocked";
const PARTNERS = "prefixset://edge/partners";

/** The state in which the commands of an example's README leave its emulators, and what its commands print. */
export interface Ends {
  /** The content of emulators, by the ports that the README gives them, and the urls of sets. */
  readonly holds?: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, number>>>>>>;
  /** Prefixes that are signaled at the emulator at 8080. */
  readonly signaled?: readonly string[];
  readonly prints?: readonly RegExp[];
  /** Further environment of the reader, who for a language has its host and a local SDK. */
  readonly has?: (reader: Reader) => Promise<Readonly<Record<string, string>>>;
}

/** The program of the README, in any language. */
const first: Ends = {
  holds: {
    8080: {
      [BLOCKED]: { "192.0.2.0/24": 1, "203.0.113.7/32": 2, "2001:db8:bad::/48": 1 },
      [PARTNERS]: { "203.0.113.128/25": 7, "203.0.113.4/32": 7 },
    },
  },
  signaled: ["198.51.100.7/32"],
};
const inLanguage = (name: string): Ends => ({
  ...first,
  async has({ folder, env }) {
    const bin = await languageHosts();
    const PATH = [bin, env.PATH].join(delimiter);
    return { PATH, HOME: process.env.HOME ?? "", ...(await LANGUAGES[name]?.({ folder, env: { ...env, PATH } })) };
  },
});
const everywhere = { [BLOCKED]: { "192.0.2.0/24": 1, "203.0.113.7/32": 2 } };

/** By example; those whose commands need a server of others are in the tests of servers. */
export const EXAMPLES: Readonly<Record<string, Ends>> = {
  "block-lists": {
    holds: {
      8080: {
        [BLOCKED]: {
          // Halves with different reasons stay two.
          "192.0.2.0/25": 1,
          "192.0.2.128/25": 1,
          "198.51.100.64/26": 1,
          "198.51.100.128/25": 1,
          "203.0.113.0/24": 1,
          "203.0.113.7/32": 2,
          "2001:db8:bad::/48": 1,
        },
      },
    },
  },
  "block-top-sources": {
    holds: { 8080: { [BLOCKED]: { "203.0.113.9/32": 1 } } },
    prints: [/marked no source 1000000 times that may be blocked: what is blocked stays/],
  },
  "ci-stack": {
    prints: [/198\.51\.100\.0\/26 \(lies in the owned prefix 198\.51\.100\.0\/24\)[\s\S]*No changes/],
    has: async () => ({
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@example.com",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@example.com",
    }),
  },
  "forwarder-service": { prints: [/Watches arena edge on fra1[\s\S]*The configuration is valid\./] },
  go: inLanguage("go"),
  imported: {
    holds: {
      8080: {
        [BLOCKED]: { "198.51.100.0/24": 1, "203.0.113.7/32": 2, "2001:db8:bad::/48": 1 },
        "prefixset://edge/web/partners": { "192.0.2.4/32": 7 },
      },
    },
    signaled: ["198.51.100.7/32"],
    prints: [/3 imported/, /4 unchanged/],
  },
  "incident-blocks": { holds: { 8080: { [BLOCKED]: { "203.0.113.7/32": 1, "203.0.113.9/32": 1 } } } },
  "many-nodes": {
    holds: {
      8080: everywhere,
      8081: everywhere,
      8082: everywhere,
      8083: { [BLOCKED]: { ...everywhere[BLOCKED], "198.51.100.0/24": 2 } },
    },
  },
  "policy-infra-repo": {
    holds: {
      8080: {
        "prefixset://edge/bogons": {
          "10.0.0.0/8": 1,
          "100.64.0.0/10": 1,
          "172.16.0.0/12": 1,
          "192.168.0.0/16": 1,
          "240.0.0.0/4": 1,
          "fc00::/7": 1,
        },
        [BLOCKED]: { "203.0.113.0/25": 1, "2001:db8:bad::/48": 1 },
        [PARTNERS]: { "203.0.113.7/32": 1 },
        "prefixset://edge/victims": { "198.51.100.9/32": 1 },
      },
    },
    signaled: ["198.51.100.7/32"],
    // Every stack passes without a word of the policies.
    prints: [/\[remediate\] {2}organisation-rails/, /^(?!.*(\[(mandatory|advisory)\]|not configured))/s],
  },
  "policy-own-pack": { prints: [/\[mandatory\] {2}ticket-format/] },
  python: inLanguage("python"),
  quickstart: first,
  regions: { holds: { 8080: everywhere, 8090: everywhere } },
  teams: {
    holds: { 8080: { [BLOCKED]: { "192.0.2.0/24": 1, "203.0.113.0/24": 1 } } },
    prints: [/192\.0\.2\.0\/24[\s\S]*203\.0\.113\.0\/24\s/],
  },
  "test-your-program": { prints: [/Tests +5 passed/], has: async () => ({ NO_COLOR: "1" }) },
  typescript: first,
  yaml: inLanguage("yaml"),
};
