import { markRecord } from "../../emulator/control/answers";
import { markQuery } from "../../emulator/control/arguments";
import { type MarkQuery, trafficRequest } from "../../emulator/control/traffic";
import { CONTROL } from "../../emulator/defaults";
import type { Packet, RemoteEmulator } from "../../emulator/index";
import { packetSchema } from "../../emulator/packets";
import type { MarkType } from "../../model/mark";
import { plainData } from "../../model/plain-data";
import { count } from "../../model/text";
import { type CliIo, UsageError } from "../cli-io";
import { textOf } from "../failure";
import { withoutEmpty } from "../listing/listing";
import { pretty, printed } from "../listing/output";
import { standardInput } from "../option-values";
import { type AddCall, type Call, members, optionsOf, outputOption, type Printing } from "./call";

const PACKETS_HELP = `
Members of a packet: from, to, proto, sport, dport, flags, length, count, at. Members of traffic: kind (background, synFlood,
dnsAmplification, carpetBombing), to, from, count, seed. Commas separate several values.

Examples:
  pulumi-packetfilter emulator packets from=203.0.113.9 to=198.51.100.7 proto=tcp dport=443 flags=syn
  pulumi-packetfilter emulator packets --file packets.json
  pulumi-packetfilter emulator packets --traffic kind=synFlood to=198.51.100.7 count=10000
`;

export function addTraffic(add: AddCall): void {
  add<PacketsFlags>("packets [member=value...]", "send packets through it, and print the verdicts", packets)
    .option("--file <file>", 'packets as a JSON array in a file; "-": standard input')
    .option("--traffic", "generate traffic with these members, and print totals")
    .addOption(outputOption())
    .addHelpText("after", PACKETS_HELP);
  optionsOf(
    add<MarksFlags>("marks <profile> <type>", "print the marks of a profile: shost, dhost, sdhost or conn", marks),
    markQuery.shape,
  ).addOption(outputOption());
}

interface PacketsFlags extends Printing {
  readonly file?: string;
  readonly traffic?: boolean;
}

const packets: Call<PacketsFlags> = async (emulator, { file, traffic, output }, words, io) => {
  if ([file !== undefined, traffic, words.length > 0 && !traffic].filter(Boolean).length !== 1) {
    throw new UsageError(
      "Give one packet, such as from=203.0.113.9 to=198.51.100.7 proto=tcp, or --file, or --traffic.",
    );
  }
  if (traffic) return generated(emulator, words, output);
  const arriving = file === undefined ? [onePacket(words)] : await packetsOf(file, io);
  const verdicts = await emulator.receive(arriving);
  if (output === "json") return pretty(verdicts);
  const rows = verdicts.map(({ verdict, profile, rule, marks }, at) => ({
    packet: at,
    verdict,
    profile,
    rule: rule?.name ?? rule?.id,
    marks: marks.map(({ type, id, value }) => `${type} ${id}: ${value}`).join(", "),
  }));
  const dropped = verdicts.filter(({ verdict }) => verdict === "drop").length;
  const summary = `${count(rows.length, "packet")}, ${dropped} dropped.`;
  return printed({ columns: ["packet", "verdict", "profile", "rule", "marks"], rows, summary }, "table");
};

async function generated(emulator: RemoteEmulator, words: readonly string[], output: Printing["output"]) {
  const sum = await emulator.traffic(members(trafficRequest, words, "The traffic is not valid"));
  if (output === "json") return pretty(sum);
  return Object.entries(sum)
    .map(([name, value]) => `${name} ${value}\n`)
    .join("");
}

const onePacket = (words: readonly string[]) => members(packetSchema, words, "The packet is not valid");

/** Reads JSON; the emulator refuses anything but an array of packets. */
async function packetsOf(file: string, io: CliIo): Promise<Packet[]> {
  const text = file === "-" ? await standardInput(io, "Standard input has no packets.") : await textOf(file, io);
  try {
    return plainData(text) as Packet[];
  } catch {
    throw new UsageError(`${file === "-" ? "Standard input" : file} is not JSON: write an array of packets.`);
  }
}

interface MarksFlags extends Printing, MarkQuery {}

const marks: Call<MarksFlags> = async (
  emulator,
  { output, id, contains, limit = CONTROL.marks },
  [url = "", name = ""],
) => {
  // The emulator refuses other names.
  const type = name as MarkType;
  const table = {
    ...(await emulator.markTable(url, type, 1)),
    records: await emulator.marks(url, type, { id, contains, limit }),
  };
  if (output === "json") return pretty(table);
  const { active, expired, evicted, refused, records } = table;
  const rows = records.map((record) => ({ ...record }));
  const lost = evicted + refused === 0 ? "" : `, ${evicted} evicted, ${refused} refused`;
  const shown = rows.length < active + expired ? `; ${rows.length} shown` : "";
  const summary = `${active} active, ${expired} expired${lost}${shown}.`;
  return printed(withoutEmpty({ columns: Object.keys(markRecord.shape), rows, summary }, 0), "table");
};
