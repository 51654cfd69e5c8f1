import type { Rule } from "./rule";
import { allowedValues } from "./rules/allowed-values";
import { destinationWithinOwned } from "./rules/destination-within-owned";
import { endpointTransport } from "./rules/endpoint-transport";
import { foreignType } from "./rules/foreign-type";
import { maxLifetime } from "./rules/max-lifetime";
import { naming } from "./rules/naming";
import { organisationRails } from "./rules/organisation-rails";
import { prefixLength } from "./rules/prefix-length";
import { productionDestroy } from "./rules/production-destroy";
import { productionRemovals } from "./rules/production-removals";
import { protectedPrefixes } from "./rules/protected-prefixes";
import { readable } from "./rules/readable";
import { requireReason } from "./rules/require-reason";
import { signalingCount } from "./rules/signaling-count";
import { signalingLength } from "./rules/signaling-length";
import { signalingWithinOwned } from "./rules/signaling-within-owned";
import { specialPurposeRanges } from "./rules/special-purpose";
import { blastRadius } from "./stack/blast-radius";
import { blockAllowConflict } from "./stack/block-allow-conflict";
import { exclusiveOwner } from "./stack/exclusive-owner";
import { expiredExceptions } from "./stack/expired-exceptions";
import { redundantPrefixes } from "./stack/redundant-prefixes";
import { setCoverage } from "./stack/set-coverage";
import { signalingAndBlock } from "./stack/signaling-and-block";
import { signalingsAtOnce } from "./stack/signalings-at-once";

export {
  allowedValues,
  blastRadius,
  blockAllowConflict,
  destinationWithinOwned,
  endpointTransport,
  exclusiveOwner,
  expiredExceptions,
  foreignType,
  maxLifetime,
  naming,
  organisationRails,
  prefixLength,
  productionDestroy,
  productionRemovals,
  protectedPrefixes,
  readable,
  redundantPrefixes,
  requireReason,
  setCoverage,
  signalingAndBlock,
  signalingCount,
  signalingLength,
  signalingsAtOnce,
  signalingWithinOwned,
  specialPurposeRanges,
};

/** All rules of the pack, in the order of the documentation: dangers to traffic first. */
export const rules: readonly Rule[] = [
  foreignType,
  readable,
  prefixLength,
  specialPurposeRanges,
  protectedPrefixes,
  signalingWithinOwned,
  signalingLength,
  destinationWithinOwned,
  signalingCount,
  requireReason,
  maxLifetime,
  allowedValues,
  naming,
  endpointTransport,
  productionDestroy,
  productionRemovals,
  organisationRails,
  setCoverage,
  blockAllowConflict,
  redundantPrefixes,
  exclusiveOwner,
  blastRadius,
  signalingAndBlock,
  signalingsAtOnce,
  expiredExceptions,
];
