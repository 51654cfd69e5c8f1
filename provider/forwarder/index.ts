/**
 * Marks of nodes into analysis systems, as a library: `pulumi-packetfilter/forwarder`. The command
 * `pulumi-packetfilter forward` is made of it. Needs Node 22.15 or later.
 *
 * @packageDocumentation
 */

export type { ForwarderConfig, SinkConfig } from "./config/types";
export { StoreError } from "./ledger/sqlite";
export type { ForwardRecord } from "./record/record";
export { EVENTS, type MarkEvent } from "./record/rows";
export { type RunningForwarder, type StartOptions, startForwarder } from "./start";
export type { Log } from "./telling/troubles";
export type { ForwarderWorld } from "./world";
