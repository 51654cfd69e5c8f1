export { type Packet, PacketView, packetSchema } from "../packet/packet";
export { PacketEngine, type TrafficSummary, type Verdict } from "./engine";
export { background, carpetBombing, dnsAmplification, mixed, synFlood } from "./traffic";
export { type TrafficOptions, TrafficSource } from "./traffic-source";
