export { PacketEngine, type TrafficSummary, type Verdict } from "./engine";
export { type Packet, PacketView, packetSchema } from "./packet";
export { background, carpetBombing, dnsAmplification, mixed, synFlood } from "./traffic";
export { type TrafficOptions, TrafficSource } from "./traffic-source";
