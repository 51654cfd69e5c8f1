export { PacketEngine, type PacketEngineOptions, type TrafficSummary, type Verdict } from "./engine";
export { type Packet, PacketView, packetSchema } from "./packet";
export type { Protocol, TcpFlag } from "./protocols";
export { background, carpetBombing, dnsAmplification, mixed, synFlood } from "./traffic";
export { type TrafficOptions, TrafficSource } from "./traffic-source";
