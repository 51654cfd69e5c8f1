import { deliveryFigures } from "./delivery.bench";
import { table } from "./figure";
import { fleetFigures } from "./fleet.bench";
import { incidentFigures } from "./incident.bench";
import { largeFigures } from "./large.bench";
import { lookFigures } from "./look.bench";
import { parts } from "./parts.bench";
import { peers } from "./peers/main";
import { prefixesFigures } from "./prefixes.bench";
import { startFigures } from "./start.bench";

const benches = {
  fleet: fleetFigures,
  large: largeFigures,
  look: lookFigures,
  delivery: deliveryFigures,
  prefixes: prefixesFigures,
  incident: incidentFigures,
  start: startFigures,
};

/** Runs the benchmarks named on the command line, or all, one after the other; `peers` and `parts`, which write a page, only where they are named, and alone. */
async function main(): Promise<void> {
  const wanted = process.argv.slice(2);
  if (wanted[0] === "peers") return peers(wanted.slice(1));
  if (wanted[0] === "parts") return parts();
  console.log(`node ${process.version}`);
  for (const [name, figures] of Object.entries(benches)) {
    if (wanted.length === 0 || wanted.includes(name)) console.log(table(name, await figures()));
  }
}

void main();
