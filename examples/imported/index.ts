/**
 * Content of a node as "pulumi-packetfilter import" read it. import.json beside this file brings the same into the state:
 *
 *   pulumi import --file import.json --yes --generate-code=false
 *   pulumi preview --refresh --expect-no-changes
 */
import * as pf from "pulumi-packetfilter";

// prefixset://edge/blocked at https://192.0.2.10
new pf.PrefixSet(
  "edge-blocked",
  {
    arena: "edge",
    set: "blocked",
    entries: {
      "198.51.100.0/24": 1,
      "203.0.113.7/32": 2,
      "2001:db8:bad::/48": 1,
    },
  },
  { protect: true },
);

// prefixset://edge/web/partners at https://192.0.2.10
new pf.PrefixSet(
  "edge-web-partners",
  {
    arena: "edge",
    profile: "web",
    set: "partners",
    entries: {
      "192.0.2.4/32": 7,
    },
  },
  { protect: true },
);

// These ran before, so that a destroy leaves them: stops: "all" would end them, too.
new pf.CloudSignaling(
  "signaling",
  {
    prefixes: ["198.51.100.7/32"],
  },
  { protect: true },
);
