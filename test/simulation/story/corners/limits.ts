import { mostOf } from "../../promises/limits";
import type { Declared, Entries, Turn } from "../../scenario";
import type { Random } from "../../world/random";
import {
  type Args,
  act,
  type Content,
  type Course,
  entryOf,
  HOUR_MS,
  holder,
  inAnHour,
  OTHER_SET,
  plain,
  run,
  SET,
  without,
} from "../calm/parts";

/** Limits of several arguments, settings, nodes, processes or resources together, and events that they count or do not count. */
export function limits(random: Random): Course {
  const draw = random.weighted({
    changes: 14,
    successors: 2,
    sharing: 2,
    adoption: 2,
    coverage: 2,
    lengths: 2,
    commands: 1,
  });
  return { changes, successors, sharing, adoption, coverage, lengths, commands }[draw](random);
}

/** Entries of a set: a program changes the first ones, and what happens meanwhile is about the last ones. */
const ALL = Array.from({ length: 60 }, (_, index) => `192.0.2.${index + 1}/32`);
const [CHANGED, LATER] = [30, ALL.slice(34)];
const SHARES = [20, 21, 25, "35%", "37.5%", "41.25%", "12.5%", "50%"];

/** Ways to declare one content: in one resource, at two nodes with different entries each, in two processes, or one by one. */
type Form = (random: Random, args: Args) => (content: Content) => Declared[];
const one: Form = (random, args) => {
  const declared = holder(random, {}, args);
  return (entries) => [{ ...declared, args: { ...declared.args, entries } }];
};
const perNode: Form = (_, args) => (content) => {
  const mirror = (prefix: string) => ALL[ALL.length - 1 - ALL.indexOf(prefix)] as string;
  const other = Object.fromEntries(Object.entries(content).map(([prefix, entry]) => [mirror(prefix), entry]));
  return [setOf("one", content, args), setOf("other", other, { ...args, node: "n2" })];
};
const inParts: Form = (random, args) => {
  const instance = random.chance(0.7) ? 1 : undefined;
  return (content) => {
    const half = (rest: number) =>
      Object.fromEntries(Object.entries(content).filter(([prefix]) => ALL.indexOf(prefix) % 2 === rest));
    const [even, odd] = [0, 1].map((rest) => setOf(`part-${rest}`, half(rest), { ...args, exclusive: false }));
    return [even as Declared, { ...(odd as Declared), ...(instance && { options: { instance } }) }];
  };
};
const oneByOne: Form = () => (content) =>
  Object.entries(content).map(([prefix, entry]) =>
    entryOf(prefix, { set: "blocked", onExisting: "adopt", ...(typeof entry === "number" ? { value: entry } : entry) }),
  );

function setOf(name: string, entries: Content, args: Args): Declared {
  return { type: "PrefixSet", name, args: { arena: "edge", set: "blocked", node: "n1", entries, ...args } };
}

/** Events of a set before its program changes: nothing, losses, other values, or the end of many entries. */
interface Meanwhile {
  readonly turns: readonly Turn[];
  readonly entries?: Content;
  /** Entries that the node lacks then. */
  readonly fewer?: number;
}
function meanwhileOf(random: Random): Meanwhile {
  const some = LATER.slice(0, random.pick([1, 22, LATER.length]));
  const colleague = { actor: "colleague", node: "n1", set: SET, commit: true } as const;
  const loss = () => ({ turns: [act({ ...colleague, remove: some })], fewer: some.length });
  return random.pick<() => Meanwhile>([
    () => ({ turns: [] }),
    loss,
    loss,
    () => ({ turns: [act({ ...colleague, insert: plain(some, 7) as Entries })] }),
    () => ({
      turns: [act({ actor: "time", ms: 2 * HOUR_MS })],
      entries: Object.fromEntries(some.map((prefix) => [prefix, { value: 1, expires: inAnHour() }])),
    }),
  ])();
}

/** A change that passes the stricter one of argument and setting by one, and one that just obeys both. */
function changes(random: Random): Course {
  const what = random.pick(["Removals", "Changes"]);
  const [own, ofStack] = random.pick([
    [random.pick(SHARES), undefined],
    [random.pick(SHARES), undefined],
    [undefined, random.pick(SHARES)],
    [undefined, random.pick(SHARES)],
    [random.pick(SHARES), random.pick(SHARES)],
  ]);
  const form = random.pick(own === undefined ? [one, perNode, inParts, inParts, oneByOne] : [one, one, perNode]);
  const args = { onExisting: "adopt", allowEmpty: true, maxRemovals: "100%", ...(own && { [`max${what}`]: own }) };
  const program = form(random, args);
  const { turns, entries = {}, fewer = 0 } = meanwhileOf(random);
  const most = Math.min(mostOf(own, ALL.length), mostOf(ofStack, ALL.length - fewer), CHANGED);
  const all = { ...plain(ALL), ...entries };
  // What leaves with the old name, a preview knows by a refresh alone.
  const isRefreshed = random.chance(0.5);
  const isRenamed = form === one && what === "Removals" && random.chance(0.4);
  const after = (count: number) => {
    const some = ALL.slice(0, count);
    const now = program(what === "Changes" ? { ...all, ...plain(some, 2) } : without(all, some));
    return isRenamed ? now.map((it) => ({ ...it, name: `${it.name}-2` })) : now;
  };
  // The check knows arguments, and what the program itself gives another value.
  const isWhole = form === one || form === perNode;
  const isChecked = isWhole && most + 1 > mostOf(own, ALL.length) && (!isRenamed || isRefreshed);
  const isCheckedByStack = isWhole && what === "Changes" && most + 1 > mostOf(ofStack, ALL.length);
  const isMistake = isChecked || isCheckedByStack;
  const allowed = random.pick([undefined, undefined, `${SET}-v6`, SET]);
  const over = run("up", after(most + 1), {
    ...(allowed && { env: { PACKETFILTER_ALLOW: `${OTHER_SET} ${allowed}` } }),
    ...(isRefreshed && { options: { refresh: true } }),
    ...(allowed === SET ? { isSound: true } : isMistake && { isMistake: true }),
  });
  // Of a change that the stack stops in several parts, some may be done.
  const isOver = most < CHANGED && (isWhole || random.chance(0.7));
  const options = { parallel: random.pick([1, 8, ALL.length]) };
  return {
    ...(ofStack && { settings: { [`max${what}`]: String(ofStack) } }),
    instances: 1,
    turns: [
      run("up", program(all), { options: { parallel: ALL.length } }),
      ...turns,
      ...(isOver ? [over, ...random.some(turns)] : []),
      run("up", after(most), { options, ...((isWhole || !isOver) && { isSound: true }) }),
    ],
  };
}

/** A set that is divided among two resources, of which one alone allows the removals. */
function successors(random: Random): Course {
  const [few, many] = random.pick([
    [0, "100%"],
    [20, "41.25%"],
    ["12.5%", 25],
  ]);
  const count = mostOf(many, ALL.length) > CHANGED ? CHANGED : mostOf(many, ALL.length);
  const left = Object.entries(plain(ALL.slice(count)));
  const parts = random.shuffle([few, many]).map((maxRemovals, rest) =>
    setOf(`part-${rest}`, Object.fromEntries(left.filter((_, index) => index % 2 === rest)), {
      maxRemovals,
      exclusive: false,
    }),
  );
  return {
    turns: [
      run("up", [setOf("blocked", plain(ALL), { maxRemovals: few })]),
      run("up", parts, { isSound: true, ...(random.chance(0.3) && { options: { refresh: true } }) }),
    ],
  };
}

/** A set that a refresh has found many entries of others in, and that the program shares from then on. */
function sharing(random: Random): Course {
  const insert = plain(LATER, 7) as Entries;
  const args = { onExisting: "adopt", ...random.pick([{}, { exclusive: true }, { maxRemovals: 0 }]) };
  const whole = holder(random, plain(ALL.slice(0, random.pick([2, 22]))), args);
  const shared = { ...whole, args: { ...whole.args, exclusive: false } };
  return {
    turns: [
      run("up", [whole]),
      act({ actor: "colleague", node: "n1", set: SET, insert, commit: true }),
      run("refresh", []),
      run("up", [shared], { isSound: true }),
      ...(random.chance(0.5) ? [run("destroy", [])] : []),
    ],
  };
}

/** A new resource takes over entries of others, which count for its limit; what others add later does not stop it. */
function adoption(random: Random): Course {
  const [foreign, own] = [random.int(1, 3), random.int(1, 3)];
  const isOver = random.chance(0.5);
  const maxEntries = foreign + own + (isOver ? -1 : random.int(0, 1));
  const isArgument = random.chance(0.6);
  const args = { onExisting: "adopt", ...(isArgument && { maxEntries }) };
  const declared = holder(random, plain(ALL.slice(0, own)), args);
  const insert = plain(LATER, 7) as Entries;
  const valued = { ...declared, args: { ...declared.args, entries: plain(ALL.slice(0, own), 2) } };
  return {
    sets: plain(LATER.slice(0, foreign), 7) as Entries,
    settings: isArgument && random.chance(0.5) ? { maxEntries: "500" } : { maxEntries: String(maxEntries) },
    turns: [
      run("up", [declared], isOver ? { isMistake: true } : { isSound: true }),
      ...(isOver
        ? []
        : [
            act({ actor: "colleague", node: "n1", set: SET, insert, commit: true }),
            run("up", [valued], { isSound: true }),
          ]),
    ],
  };
}

/** Resources that cover much together, and allow it all or in part. */
function coverage(random: Random): Course {
  const [family, wide] = random.pick([
    ["ipv4", ["0.0.0.0/2", "64.0.0.0/3", "96.0.0.0/4"]],
    ["ipv6", ["::/2", "4000::/3", "6000::/4"]],
  ] as const);
  const few = wide.slice(0, random.int(2, 3));
  const allowed = random.int(0, few.length);
  const parts = few.map((prefix, index) => {
    const args = { ...(index < allowed && { shortestPrefix: { [family]: 1 } }) };
    return random.chance(0.5)
      ? setOf(`part-${index}`, plain([prefix]), { ...args, exclusive: false })
      : entryOf(prefix, { set: "blocked", ...args });
  });
  const isSound = allowed === few.length;
  return {
    turns: [
      run("up", parts.slice(0, 1)),
      run("up", random.shuffle(parts), isSound ? { isSound: true } : { isMistake: true }),
    ],
  };
}

const LENGTHS = { ipv4: [[8, 15, 16, 24], "198.18.0.0/15"], ipv6: [[16, 32, 33, 48], "2001:db8::/32"] } as const;

/** The shortest prefix by argument and setting, for each family. */
function lengths(random: Random): Course {
  const drawn = () =>
    Object.fromEntries(
      random.some(["ipv4", "ipv6"] as const, 0.7).map((family) => [family, random.pick(LENGTHS[family][0])]),
    );
  const [own, ofStack, family] = [drawn(), drawn(), random.pick(["ipv4", "ipv6"] as const)];
  const prefix = LENGTHS[family][1];
  const isShort = Number(prefix.split("/")[1]) < Math.max(own[family] ?? 0, ofStack[family] ?? 0);
  const declared = random.chance(0.7)
    ? holder(random, plain([prefix, ALL[0] as string]), { shortestPrefix: own })
    : entryOf(prefix, { shortestPrefix: own });
  return {
    settings: { shortestPrefix: JSON.stringify(ofStack) },
    turns: [run("up", [declared], isShort ? { isMistake: true } : { isSound: true })],
  };
}

/** A set that holds more than its limit by now, and blocks that add nothing to it. */
function commands(random: Random): Course {
  const operator = { actor: "operator", command: "block", nodes: ["n1", "n2"], set: SET } as const;
  const prefixes = ALL.slice(0, random.int(1, 3));
  const insert = plain(LATER.slice(0, 4), 7) as Entries;
  const again = { value: 2, ...(random.chance(0.5) && { ms: HOUR_MS }) };
  return {
    settings: { maxEntries: "4" },
    turns: [
      act({ ...operator, prefixes, isSound: true }),
      act({ actor: "colleague", node: "n1", set: SET, insert, commit: true }),
      act({ ...operator, prefixes: random.pick([prefixes, prefixes.slice(0, 1)]), ...again, isSound: true }),
    ],
  };
}
