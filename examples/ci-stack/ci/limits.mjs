// Limits of resources that a preview shows as changed, new, absent or moved: in words of this file alone, since the preview is of the
// change's own making.

const LIMITS = [
  "allowEmpty",
  "exclusive",
  "forbiddenPrefixes",
  "maxChanges",
  "maxEntries",
  "maxRemovals",
  "onDestroy",
  "onExisting",
  "requiredPrefixes",
  "shortestPrefix",
];

/** What a limit holds for, whatever the name of its resource is. */
const OBJECT = ["arena", "profile", "set", "prefix"];

/**
 * A sentence on the limits of all resources, by the inputs with which each begins and ends: by urn, and for a resource of another
 * name by what it is for. Where the preview cannot be read, it says so.
 */
export function limitsIn(preview) {
  try {
    const parts = differences(sides(JSON.parse(preview)));
    return parts.length === 0 ? "" : `> **Limits of resources: ${parts.join("; ")}.**\n\n`;
  } catch {
    return "> **Limits of resources cannot be compared: the preview cannot be read.**\n\n";
  }
}

/** Inputs of our resources before and after, by urn. */
function sides({ steps }) {
  const [before, after] = [new Map(), new Map()];
  for (const { op, urn, oldState, newState } of steps) {
    if (oldState?.inputs?.arena !== undefined) before.set(urn, oldState.inputs);
    if (newState?.inputs?.arena !== undefined && !op.startsWith("delete")) after.set(urn, newState.inputs);
  }
  return { before, after };
}

function differences({ before, after }) {
  const gone = new Map([...before].flatMap(([urn, one]) => (after.has(urn) ? [] : [[objectOf(urn, one), one]])));
  const found = { changed: [], new: [], absent: [], moved: [] };
  let bare = 0;
  for (const [urn, inputs] of after) {
    const own = before.get(urn);
    const former = own ?? gone.get(objectOf(urn, inputs));
    if (own === undefined) gone.delete(objectOf(urn, inputs));
    const [was, is] = [limitsOf(former ?? {}), limitsOf(inputs)];
    if (former === undefined && is.size === 0) bare += 1;
    for (const name of new Set([...was.keys(), ...is.keys()])) {
      const same = JSON.stringify(was.get(name)) === JSON.stringify(is.get(name));
      if (same && own === undefined) found.moved.push(name);
      else if (!same) found[is.has(name) ? (was.has(name) ? "changed" : "new") : "absent"].push(name);
    }
  }
  for (const inputs of gone.values()) found.absent.push(...limitsOf(inputs).keys());
  const parts = Object.entries(found).flatMap(([how, names]) =>
    names.length === 0 ? [] : `${how}: ${counted(names)}`,
  );
  return bare === 0 ? parts : [...parts, `new resources without any: ${bare}`];
}

function objectOf(urn, inputs) {
  return JSON.stringify([urn.split("::")[2], ...OBJECT.map((name) => inputs[name] ?? "")]);
}

/** Limits of a resource by name; those of the nodes of a group as `nodes.*.maxRemovals`. */
function limitsOf(inputs) {
  const limits = new Map(LIMITS.flatMap((name) => (inputs[name] === undefined ? [] : [[name, inputs[name]]])));
  const nodes = Object.entries(Array.isArray(inputs.nodes) ? {} : (inputs.nodes ?? {}));
  for (const name of LIMITS) {
    const own = nodes.flatMap(([node, members]) => (members?.[name] === undefined ? [] : [[node, members[name]]]));
    if (own.length > 0) limits.set(`nodes.*.${name}`, own.sort());
  }
  return limits;
}

/** `maxEntries (1), maxRemovals (2)` */
function counted(names) {
  const each = [...new Set(names)].sort();
  return each.map((name) => `${name} (${names.filter((one) => one === name).length})`).join(", ");
}
