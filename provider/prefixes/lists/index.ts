import { aws } from "./aws";
import { azure } from "./azure";
import { cloudflare } from "./cloudflare";
import { crowdsec } from "./crowdsec";
import { dshield } from "./dshield";
import { feodo } from "./feodo";
import { firehol } from "./firehol";
import { google } from "./google";
import type { PublishedList } from "./list";
import { spamhaus, spamhausAsn } from "./spamhaus";

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
  crowdsec,
];
