/** What one request may carry at most. */
export interface ChunkLimits {
  readonly entries: number;
  readonly bytes: number;
}

/**
 * How many of `sizes`, from `start`, fit into one request: at least one, since a single entry cannot be divided, and
 * its size is for the node to judge.
 *
 * @param sizes Bytes of each entry as JSON.
 * @param frame Bytes of the body around the entries.
 */
export function chunkEnd(sizes: readonly number[], start: number, frame: number, limits: ChunkLimits): number {
  const last = Math.min(sizes.length, start + limits.entries);
  let bytes = frame;
  for (let index = start; index < last; index++) {
    const separator = index === start ? 0 : 1;
    bytes += (sizes[index] ?? 0) + separator;
    if (bytes > limits.bytes && index > start) return index;
  }
  return last;
}
