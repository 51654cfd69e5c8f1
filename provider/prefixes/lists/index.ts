import { crowdsec, dshield, feodo, firehol, spamhaus, spamhausAsn } from "./block-lists";
import { aws, azure, cloudflare, fastly, github, google, oracle } from "./clouds";
import type { PublishedList } from "./list";

/**
 * The lists that are read without options. One that has nothing particular needs no line here: the bogons of Team Cymru
 * are prefixes below comments.
 */
export const LISTS: readonly PublishedList[] = [
  spamhaus,
  spamhausAsn,
  firehol,
  feodo,
  dshield,
  aws,
  google,
  azure,
  cloudflare,
  fastly,
  github,
  oracle,
  crowdsec,
];
