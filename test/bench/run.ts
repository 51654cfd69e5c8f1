import { deliveryFigures } from "./delivery.bench";
import { emulatorFigures } from "./emulator.bench";
import { engineFigures } from "./engine.bench";
import { table } from "./figure";
import { fleetFigures } from "./fleet.bench";
import { forwarderFigures } from "./forwarder.bench";
import { incidentFigures } from "./incident.bench";
import { largeFigures } from "./large.bench";
import { lookFigures } from "./look.bench";
import { marksFigures } from "./marks.bench";
import { packetsFigures } from "./packets.bench";
import { peers } from "./peers/main";
import { pluginFigures } from "./plugin.bench";
import { policiesFigures } from "./policies.bench";
import { prefixesFigures } from "./prefixes.bench";
import { readingFigures } from "./reading.bench";
import { setsFigures } from "./sets.bench";
import { startFigures } from "./start.bench";
import { stateFigures } from "./state.bench";

const benches = {
  engine: engineFigures,
  fleet: fleetFigures,
  large: largeFigures,
  look: lookFigures,
  emulator: emulatorFigures,
  marks: marksFigures,
  forwarder: forwarderFigures,
  delivery: deliveryFigures,
  packets: packetsFigures,
  plugin: pluginFigures,
  policies: policiesFigures,
  prefixes: prefixesFigures,
  incident: incidentFigures,
  reading: readingFigures,
  sets: setsFigures,
  start: startFigures,
  state: stateFigures,
};

/** Runs the benchmarks named on the command line, or all, one after the other; `peers` only where it is named, and alone. */
async function main(): Promise<void> {
  const wanted = process.argv.slice(2);
  if (wanted[0] === "peers") return peers(wanted.slice(1));
  console.log(`node ${process.version}`);
  for (const [name, figures] of Object.entries(benches)) {
    if (wanted.length === 0 || wanted.includes(name)) console.log(table(name, await figures()));
  }
}

void main();
