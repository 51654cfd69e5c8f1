import { hasUnknown, isObject } from "../../../model/json";
import { nearest } from "../../../model/nearest";
import { some } from "../../../model/text";

/** Number of nodes, or percentage of all nodes of the group (`"20%"`), rounded up. */
export type WaveSize = number | `${number}%`;

/**
 * Order in which the nodes of a group change: names or sizes of the waves, or some nodes first and then `size` nodes at a
 * time. A size counts nodes that no wave names, in the order of their names. Nodes in no wave come last, all at once.
 *
 * @example
 * ```ts
 * const byName: Waves = [["lab1"], ["fra1", "fra2"]];
 * const bySize: Waves = [1, 5, "20%"];
 * const mixed: Waves = [["lab1"], 5, "20%"];
 * const canary: Waves = { canary: ["lab1"], size: 10 };
 * ```
 */
export type Waves =
  | readonly (readonly string[] | WaveSize)[]
  | {
      /** Names of the nodes that come first. */
      readonly canary: readonly string[];
      /** Number of the others at a time; default: all of them. */
      readonly size?: WaveSize;
    };

/** Invalid waves: the message names the place and the remedy. */
class WavesError extends TypeError {
  override readonly name = "WavesError";
}

/**
 * The nodes of each wave in their order. No wave is empty, and each node is in one.
 * @throws {WavesError} for an unknown or repeated name, and for an invalid size
 */
export function inWaves(nodes: readonly string[], waves: unknown): string[][] {
  return planned(nodes, waves).filter((wave) => wave.length > 0);
}

function planned(nodes: readonly string[], waves: unknown): string[][] {
  if (isCanary(waves)) {
    refuseMembers(waves);
    const { canary, size } = waves;
    const rest = others(nodes, [canary], "waves.canary");
    const step = size === undefined ? rest.length : sizeOf(size, nodes.length, "waves.size");
    return [[...canary], ...slices(rest, step)];
  }
  if (!Array.isArray(waves)) {
    throw new WavesError('waves is neither an array nor an object such as { canary: ["lab1"], size: "20%" }.');
  }
  const rest = others(nodes, waves, "waves");
  const all = waves.map((wave: unknown, index) =>
    Array.isArray(wave) ? [...wave] : rest.splice(0, sizeOf(wave, nodes.length, `waves[${index}]`)),
  );
  return [...all, rest];
}

/** Nodes that no wave names. @throws {WavesError} for an unknown or repeated name */
function others(nodes: readonly string[], waves: readonly unknown[], path: string): string[] {
  const where = new Map<string, string>();
  for (const [index, wave] of waves.entries()) {
    const place = path === "waves" ? `waves[${index}]` : path;
    if (!Array.isArray(wave)) {
      if (path === "waves") continue;
      throw new WavesError(`${place} is not an array of names.`);
    }
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
  return nodes.filter((name) => !where.has(name));
}

function slices(nodes: readonly string[], size: number): string[][] {
  const number = size > 0 ? Math.ceil(nodes.length / size) : 0;
  return Array.from({ length: number }, (_, index) => nodes.slice(index * size, (index + 1) * size));
}

/** Number of nodes, at least one: a percentage is rounded up. */
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
  const advice = near === undefined ? `its nodes are ${some(nodes)}` : `did you mean ${JSON.stringify(near)}?`;
  return `there is no node ${JSON.stringify(name)} in the group: ${advice}`;
}

function isCanary(waves: unknown): waves is Extract<Waves, { readonly canary: unknown }> {
  return typeof waves === "object" && waves !== null && "canary" in waves;
}

function refuseMembers(waves: object): void {
  const stray = Object.keys(waves).find((key) => key !== "canary" && key !== "size");
  if (stray !== undefined)
    throw new WavesError(`waves has no member ${JSON.stringify(stray)}: it has canary and size.`);
}

/** Fault in the waves of the argument `rollout`, as a sentence. Unknown values and invalid rollouts are not judged here. */
export function rolloutProblem(nodes: readonly string[], rollout: unknown): string | undefined {
  if (!isObject(rollout) || hasUnknown(rollout) || nodes.length === 0) return undefined;
  try {
    inWaves(nodes, rollout.waves);
    return undefined;
  } catch (error) {
    if (error instanceof WavesError) return `rollout: ${error.message}`;
    throw error;
  }
}
