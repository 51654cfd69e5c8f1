/** Texts like no other, by the argument that they are a secret in. */
export const CANARY = {
  "reason of an entry": "canary-why-31c0",
  "ticket of an entry": "canary-ticket-a7d2",
  "reason in secret entries": "canary-inner-0be4",
  "prefix in secret entries": "10.77.31.0/24",
  "value in secret entries": "471131",
  "value of an entry": "471199",
  "reason of a single entry": "canary-single-9f05",
  "value of a single entry": "471177",
  "recipient of a signaling": "198.51.100.77",
  "reason of a signaling": "canary-attack-62aa",
  "forbidden prefix": "10.99.31.0/24",
  "host in a secret": "10.55.31.9",
  "password of a node": "canary-password-node",
  "password of an Output": "canary-password-output",
  "password in the configuration": "canary-password-named",
  "password of a receiver": "canary-password-receiver",
} as const;

/** Places of a secret, as docs/guides/options-and-flags.md names them, and the texts that `canaries.long.test.ts` looks for everywhere. */
export const SECRETS: Readonly<Record<string, readonly (keyof typeof CANARY)[]>> = {
  "PrefixSet.entries": ["prefix in secret entries", "value in secret entries", "reason in secret entries"],
  "PrefixSet.entries[…].value": ["value of an entry"],
  "PrefixSet.entries[…].reason": ["reason of an entry"],
  "PrefixSet.entries[…].ticket": ["ticket of an entry"],
  "PrefixSet.forbiddenPrefixes": ["forbidden prefix"],
  "PrefixSetEntry.value": ["value of a single entry"],
  "PrefixSetEntry.reason": ["reason of a single entry"],
  "PrefixSetEntry.prefix": ["host in a secret"],
  "CloudSignaling.prefixes": ["recipient of a signaling"],
  "CloudSignaling.reason": ["reason of a signaling"],
  "node.endpoint": ["password of a node", "password of an Output"],
  "receiver.url": ["password of a receiver"],
  "packetfilter:nodes": ["password in the configuration"],
};
