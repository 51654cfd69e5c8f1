interface ListedMark {
  readonly a: string;
  readonly id: number;
  readonly v: number;
  readonly t: number;
}

async function listOf<T>(base: string, node: string, url: string): Promise<readonly T[]> {
  const answer = await fetch(`${base}/${node}/fapi`, { method: "POST", body: JSON.stringify({ url }) });
  const { data } = (await answer.json()) as { data: T[] };
  return data;
}

const marksOf = (base: string, node: string) => listOf<ListedMark>(base, node, "mark://edge/web");

async function post(base: string, lines: readonly string[]): Promise<void> {
  const answer = await fetch(`${base}/in`, { method: "POST", body: `${lines.join("\n")}\n` });
  await answer.arrayBuffer();
}

/** One round of every node, all at a time. */
async function ofEach(nodes: number, round: (node: string) => Promise<void>): Promise<void> {
  await Promise.all(Array.from({ length: nodes }, (_, n) => round(`node${n}`)));
}

const BATCH = 10_000;

interface Rule {
  readonly id: number;
  readonly name: string;
}

/**
 * A script that fetches, parses and posts the records of the forwarder, member by member, in batches as large as its own. Their profiles and rules
 * are the node's, which is asked for them at its first list. It keeps nothing, and loses records that the sink does not take.
 */
export class SameRecords {
  private readonly epoch = Date.now();
  private readonly sequences = new Map<string, number>();
  /** Of each node, the value of each address in its last list. */
  private readonly values = new Map<string, Map<string, number>>();

  /** Of each node, the rules by id. */
  private readonly rules = new Map<string, ReadonlyMap<number, Rule>>();

  /** @param onlyChanges Posts the marks whose value is not that of the last list, which it keeps in memory. */
  async postAll(base: string, nodes: number, onlyChanges = false): Promise<void> {
    await ofEach(nodes, async (node) => {
      const listed = await marksOf(base, node);
      if (!this.rules.has(node)) await this.readRules(base, node);
      const marks = onlyChanges ? this.changed(node, listed) : listed;
      const timestamp = new Date().toISOString();
      for (let at = 0; at < marks.length; at += BATCH) {
        const batch = marks.slice(at, at + BATCH);
        await post(
          base,
          batch.map((mark) => this.line(node, timestamp, mark)),
        );
      }
    });
  }

  private async readRules(base: string, node: string): Promise<void> {
    const profiles = await listOf<{ name: string }>(base, node, "arena://edge");
    const lists = await Promise.all(profiles.map(({ name }) => listOf<Rule>(base, node, `profile://edge/${name}`)));
    this.rules.set(node, new Map(lists.flat().map((rule) => [rule.id, rule])));
  }

  private changed(node: string, listed: readonly ListedMark[]): readonly ListedMark[] {
    const before = this.values.get(node);
    this.values.set(node, new Map(listed.map(({ a, v }) => [a, v])));
    return before ? listed.filter(({ a, v }) => before.get(a) !== v) : listed;
  }

  private line(node: string, timestamp: string, { a: address, id, v: value, t: lifetime }: ListedMark): string {
    const sequence = (this.sequences.get(node) ?? 0) + 1;
    this.sequences.set(node, sequence);
    const rule = this.rules.get(node)?.get(id);
    return JSON.stringify({
      timestamp,
      node,
      arena: "edge",
      profile: "web",
      type: "shost",
      event: "seen",
      address,
      id,
      value,
      lifetime,
      ...(rule && { rule }),
      epoch: this.epoch,
      sequence,
      recordId: `${node}-${this.epoch.toString(36)}-${sequence.toString(36)}`,
      message: `${node} edge/web shost ${address} seen: id ${id}, value ${value}, lifetime ${lifetime} s`,
    });
  }
}
