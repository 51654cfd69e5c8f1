import { nearest } from "../../model/nearest";
import { some } from "../../model/text";

/** So many nodes: a number, or a percentage of all nodes of the fleet (`"20%"`), rounded up. */
export type WaveSize = number | `${number}%`;

/**
 * In which order the nodes of a fleet change. Names or sizes of the waves, or some nodes first and the others after them,
 * `size` at a time. Nodes in no wave come last, all at once.
 *
 * @example
 * ```ts
 * const byName: Waves = [["lab1"], ["fra1", "fra2"]];
 * const bySize: Waves = [1, 5, "20%"];
 * const canary: Waves = { canary: ["lab1"], size: 10 };
 * ```
 */
export type Waves =
  | readonly (readonly string[])[]
  | readonly WaveSize[]
  | { readonly canary: readonly string[]; readonly size?: WaveSize };

/** Thrown for waves that cannot be: the message says where, and what to do. */
export class WavesError extends TypeError {
  override readonly name = "WavesError";
}

/**
 * The nodes of each wave, in the order in which the waves run; none is empty, and each node is in one.
 * @throws {WavesError} for a name that the fleet does not have or that comes twice, and for a size that is none
 */
export function inWaves(nodes: readonly string[], waves: Waves | undefined): string[][] {
  return planned(nodes, waves).filter((wave) => wave.length > 0);
}

function planned(nodes: readonly string[], waves: Waves | undefined): string[][] {
  if (waves === undefined) return [[...nodes]];
  if (isCanary(waves)) {
    refuseMembers(waves);
    const [canary = [], rest = []] = byName(nodes, [waves.canary], "waves.canary");
    const size = waves.size === undefined ? rest.length : sizeOf(waves.size, nodes.length, "waves.size");
    return [canary, ...slices(rest, size)];
  }
  if (!Array.isArray(waves)) {
    throw new WavesError('waves is neither an array nor an object such as { canary: ["lab1"], size: "20%" }.');
  }
  const lists = waves.filter(Array.isArray).length;
  if (lists > 0 && lists < waves.length) {
    throw new WavesError("waves mixes names and sizes: name the nodes of each wave, or say the size of each.");
  }
  return lists > 0 ? byName(nodes, waves, "waves") : bySize(nodes, waves);
}

function byName(nodes: readonly string[], waves: readonly (readonly string[])[], path: string): string[][] {
  const where = new Map<string, string>();
  for (const [index, wave] of waves.entries()) {
    const place = path === "waves" ? `waves[${index}]` : path;
    if (!Array.isArray(wave)) throw new WavesError(`${place} is not an array of names.`);
    for (const name of wave) {
      if (!nodes.includes(name)) throw new WavesError(`${place}: ${unknownNode(name, nodes)}`);
      const before = where.get(name);
      if (before !== undefined) {
        const twice = before === place ? `twice in ${place}` : `in ${before} and in ${place}`;
        throw new WavesError(`The node ${JSON.stringify(name)} is ${twice}: it can change in one wave only.`);
      }
      where.set(name, place);
    }
  }
  return [...waves.map((wave) => [...wave]), nodes.filter((name) => !where.has(name))];
}

function bySize(nodes: readonly string[], sizes: readonly unknown[]): string[][] {
  let begin = 0;
  const waves = sizes.map((size, index) => {
    const end = begin + sizeOf(size, nodes.length, `waves[${index}]`);
    const wave = nodes.slice(begin, end);
    begin = end;
    return wave;
  });
  return [...waves, nodes.slice(begin)];
}

function slices(nodes: readonly string[], size: number): string[][] {
  const number = size > 0 ? Math.ceil(nodes.length / size) : 0;
  return Array.from({ length: number }, (_, index) => nodes.slice(index * size, (index + 1) * size));
}

/** At least one node: a percentage is rounded up. */
function sizeOf(size: unknown, total: number, path: string): number {
  if (typeof size === "number" && Number.isInteger(size) && size >= 1) return size;
  const [, percent] = (typeof size === "string" && /^(\d{1,3}(?:\.\d+)?)%$/.exec(size)) || [];
  const share = Number(percent);
  if (share > 0 && share <= 100) return Math.ceil((total * share) / 100);
  throw new WavesError(
    `${path} is ${JSON.stringify(size)}: write a number of nodes from 1, or a percentage of all such as "20%"; names stand in arrays.`,
  );
}

function unknownNode(name: unknown, nodes: readonly string[]): string {
  const near = nearest(String(name), nodes);
  const advice = near === undefined ? `its nodes are ${some(nodes)}` : `is ${JSON.stringify(near)} meant?`;
  return `there is no node ${JSON.stringify(name)} in the fleet: ${advice}`;
}

function isCanary(waves: Waves): waves is Extract<Waves, { readonly canary: unknown }> {
  return typeof waves === "object" && waves !== null && "canary" in waves;
}

function refuseMembers(waves: object): void {
  const stray = Object.keys(waves).find((key) => key !== "canary" && key !== "size");
  if (stray !== undefined)
    throw new WavesError(`waves has no member ${JSON.stringify(stray)}: it has canary and size.`);
}
