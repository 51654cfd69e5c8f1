/**
 * Switches of the emulator that no client can find out, at all or in some of their settings, and why. A probe leaves
 * them alone, so that an emulator which starts from its result has their defaults.
 */
export const UNKNOWABLE: Readonly<Record<string, string>> = {
  setCapacity:
    "only a set that is filled until the node has no more room would tell, and that may be the room of others",
  lease: "a signaling that ends by itself does so after minutes or days, for which a prefix would have to stay active",
  markPace:
    "only lists of one table that follow each other sooner than the contract allows would tell; what is told is whether lists of different tables may",
  idKey: "under a name of the node's own no number of a rule shows that it is the id; the user's names are taken over",
  markKeys: "under names of the node's own no number of a mark shows whether it is the id, the value or a time",
  signalingIpv6:
    "only an IPv6 prefix of the user's own tells that it is accepted; where one is refused, it may as well not be the user's",
};
