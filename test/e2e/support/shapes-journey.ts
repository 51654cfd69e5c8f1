import { expect } from "vitest";
import { startShapedNode } from "../../support/shaped-node";
import { startShapedReceiver } from "../../support/shaped-receiver";
import { NODES } from "../../support/shapes/nodes";
import { PLACES } from "../../support/shapes/places";
import { RECEIVERS } from "../../support/shapes/receivers";
import { SET, shapeOf } from "../../support/shapes/shape";
import { TestStack } from "./stack";

const [A, B, C, D] = ["192.0.2.0/24", "198.51.100.7/32", "203.0.113.0/24", "198.51.100.128/25"] as const;

/** These nodes of the matrix, empty, with the members by which they are reached. */
async function startNodes(all: AsyncDisposableStack, names: readonly string[]) {
  const started = names.map(async (name) => {
    const { settings, vanishes } = NODES[name] ?? {};
    const node = all.use(await startShapedNode(vanishes ? {} : { [SET]: {} }, shapeOf(NODES[name] ?? {})));
    return { node, options: { endpoint: node.endpoint, ...settings } };
  });
  return Promise.all(started);
}

/** These receivers of the matrix, with the members by which they are reached. */
async function startReceivers(all: AsyncDisposableStack, shapes: readonly (typeof RECEIVERS)[string][]) {
  const started = shapes.map(async (shape) => {
    const receiver = all.use(await startShapedReceiver(shape));
    const options = { url: receiver.url, clientId: "c1", secretKey: "k3y", answers: shape.settings };
    return { receiver, options, prefixes: shape.isSingle ? [B] : [B, D] };
  });
  return Promise.all(started);
}

/** One of so many nodes and receivers of the matrix, all with 1: up, no change, drift, repair, destroy. */
export async function followJourney(oneOf: number): Promise<void> {
  const names = Object.keys(NODES).filter((_, at) => at % oneOf === 0);
  const shapes = Object.values(RECEIVERS).filter((_, at) => at % oneOf === 0);
  await using all = new AsyncDisposableStack();
  const nodes = await startNodes(all, names);
  const receivers = await startReceivers(all, shapes);
  const sets = () =>
    Object.fromEntries(nodes.map(({ node }, at) => [names[at], Object.fromEntries(node.sets.get(SET) ?? [])]));
  const active = () => receivers.map(({ receiver }) => [...receiver.active].toSorted());
  // A node that keeps no values has only ones.
  const declared = (value: number) => names.map((name) => ({ [A]: NODES[name]?.isFlat ? 1 : value, [B]: 1 }));
  const everywhere = (value: number) => Object.fromEntries(declared(value).map((entries, at) => [names[at], entries]));
  const program = (value: number) => `
    const entries = ${JSON.stringify(declared(value))};
    entries.forEach((each, at) => new pf.PrefixSet(\`set-\${at}\`, { node: \`n\${at}\`, arena: "edge", set: "blocked", entries: each }));
    ${JSON.stringify(receivers.map(({ prefixes }) => prefixes))}
      .forEach((prefixes, at) => new pf.CloudSignaling(\`signaling-\${at}\`, { receiver: \`r\${at}\`, prefixes }));`;
  const named = (prefix: string, each: readonly { readonly options: object }[]) =>
    Object.fromEntries(each.map(({ options }, at) => [`${prefix}${at}`, options]));
  const config = { nodes: named("n", nodes) };
  // Operators allow the modules that read answers, each by its name.
  const readers = names.flatMap((name) => NODES[name]?.settings?.answers?.read ?? []);
  const env = { PACKETFILTER_ALLOW_CODE: readers.join() };
  const secrets = { receivers: JSON.stringify(named("r", receivers)) };
  const stack = all.use(await TestStack.create({ config, secrets, env, program: program(7) }));

  await stack.must("up", "--yes", "--skip-preview");
  expect(sets()).toEqual(everywhere(7));
  const wanted = receivers.map(({ prefixes }) => [...prefixes].toSorted());
  expect(active()).toEqual(wanted);
  await stack.must("preview", "--refresh", "--expect-no-changes");

  // Others write, also what we would not where the form has room for it, and end what runs.
  nodes.forEach(({ node }, at) => {
    const isAnything = (names[at] ?? "") in PLACES;
    node.sets
      .get(SET)
      ?.set(C, isAnything ? "drop" : 1)
      .set(B, isAnything ? 1.5 : 1)
      .delete(A);
  });
  for (const { receiver } of receivers) receiver.active.clear();
  await stack.mustFail("preview", "--refresh", "--expect-no-changes");
  await stack.program(program(9));
  await stack.must("up", "--yes", "--refresh", "--skip-preview");
  expect(sets()).toEqual(everywhere(9));
  expect(active()).toEqual(wanted);

  for (const [at, { node }] of nodes.entries()) if ((names[at] ?? "") in PLACES) node.sets.get(SET)?.set(A, "drop");
  await stack.must("destroy", "--yes", "--skip-preview", "--refresh");
  expect(sets()).toEqual(Object.fromEntries(names.map((name) => [name, {}])));
  expect(active()).toEqual(receivers.map(() => []));
}
