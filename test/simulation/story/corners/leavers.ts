import type { Act, Declared, Entries, RunOptions, Turn } from "../../scenario";
import { originOf } from "../../simulation";
import type { Random } from "../../world/random";
import {
  type Args,
  act,
  type Content,
  type Course,
  entryOf,
  FOREIGN,
  HOUR_MS,
  holder,
  inAnHour,
  KEPT,
  MANY,
  plain,
  run,
  SET,
  WIDE,
} from "../calm/parts";
import { HEALTH } from "../group-changes";

/** Leavers: a node its group, a group its content, an entry the set, an argument the open. */
export function leavers(random: Random): Course {
  const draw = random.pick([leaving, leaving, leaving, goingBack, stillRed, stillRed, ended, ended, hidden, twoPlaces]);
  return draw(random);
}

const OWN = { [WIDE]: 1, [KEPT]: 2 };
const BOTH = ["n1", "n2"];
const refresh = () => run("refresh", []);
const outage = (at: string, silent: boolean) => act({ actor: "outage", at, silent });
const health = (state: "pass" | "fail") =>
  [...BOTH.slice(0, 1), RENAMED].map((node) => act({ actor: "health", node, state }));
const colleague = (node: string, what: Pick<Extract<Act, { actor: "colleague" }>, "insert" | "remove">) =>
  act({ actor: "colleague", node, set: SET, commit: true, ...what });

function groupOf(nodes: readonly string[], entries: Content, more: Args = {}): Declared {
  return { type: "PrefixSetGroup", name: "group", args: { arena: "edge", set: "blocked", nodes, entries, ...more } };
}

/** A node leaves its group, silent or not, and with another end than it had; others write there, and the group goes on or ends. */
function leaving(random: Random): Course {
  const onDestroy = random.pick(["remove", "remove", "created", "keep"]);
  const more = {
    onDestroy,
    onExisting: "adopt",
    ...(random.chance(0.7) && { maxUnreachable: 1 }),
    ...(random.chance(0.3) && { rollout: { waves: [1, 1], check: HEALTH, checkTimeoutMs: 1_000 } }),
  };
  const then = random.chance(0.5) ? {} : { onDestroy: random.pick(["keep", "remove"]) };
  const whole = groupOf(BOTH, OWN, more);
  const left = groupOf(["n1"], random.chance(0.7) ? OWN : { [WIDE]: 1 }, { ...more, ...then });
  const isSilent = random.chance(0.6);
  const inserted = random.pick<Entries>([{ [FOREIGN]: 9 }, { [FOREIGN]: 9 }, { [KEPT]: 2 }]);
  const later: Turn[] = random.some(
    [
      colleague("n2", { insert: inserted }),
      refresh(),
      run("up", [left]),
      run("up", [groupOf(["n1"], {}, { ...more, ...then })]),
    ],
    0.5,
  );
  const end = random.pick([
    run("destroy", []),
    run("destroy", []),
    run("up", [left]),
    run("up", [whole]),
    run("up", []),
  ]);
  return {
    sets: random.chance(0.3) ? { [WIDE]: 1 } : {},
    ...(random.chance(0.4) && { settings: { distinctNodes: "false" } }),
    turns: [
      run("up", [whole]),
      ...(isSilent ? [outage("n2", true)] : []),
      run("up", [left], random.chance(0.2) ? { options: { refresh: true } } : {}),
      ...(isSilent ? [outage("n2", false)] : []),
      ...later,
      end,
    ],
  };
}

/** Another content reaches all nodes of a group or stops half-way at one, and the group goes back to the former one while a node is ill. */
function goingBack(random: Random): Course {
  const more = { rollout: { waves: [["n1"], ["n2"]], check: HEALTH, checkTimeoutMs: 1_000 } };
  const news = { ...OWN, ...plain(MANY.slice(0, 3)), ...(random.chance(0.5) && { [WIDE]: 2 }) };
  const cmd = random.pick(["insert", "insert", "delete", "commit"] as const);
  const fault = { status: random.pick([400, 503]), cmd, nth: random.int(1, 3), times: random.pick([1, 100]) };
  const meanwhile = random.chance(0.5) ? [{ kind: "fault", at: random.pick(BOTH), fault } as const] : [];
  return {
    settings: { node: { maxEntriesPerRequest: 1 } },
    turns: [
      run("up", [groupOf(BOTH, OWN, more)]),
      run("up", [groupOf(BOTH, news, more)], { meanwhile }),
      ...random.some([refresh()], 0.5),
      ...health("fail"),
      run("up", [groupOf(BOTH, OWN, more)]),
      ...health("pass"),
    ],
  };
}

const RENAMED = "n1-renamed";

/** A wave is red, and the program, the node or its name change: the content has passed nowhere. */
function stillRed(random: Random): Course {
  const about = random.pick(["name", "status", "silence", "refresh"]);
  const group = (entries: Content, check: Args = {}, first = "n1") =>
    groupOf([first, "n2"], entries, {
      rollout: { waves: [[first], ["n2"]], check: { ...HEALTH, ...check }, checkTimeoutMs: 1_000 },
      ...(about === "silence" && { maxUnreachable: 1 }),
    });
  const news = { ...OWN, ...plain(MANY.slice(0, 1)) };
  const [before, red] = [group(OWN), group(news)];
  const options: RunOptions = random.chance(0.3) ? { refresh: true } : {};
  const next = about === "name" ? group(news, {}, RENAMED) : about === "status" ? group(news, { status: 503 }) : red;
  const isSilent = about === "silence";
  const settings = {
    nodes: JSON.stringify(
      Object.fromEntries(["n1", RENAMED, "n2"].map((it) => [it, { endpoint: originOf(it.replace(/-.*/, "")) }])),
    ),
  };
  return {
    ...(about === "name" && { settings, node: { aliases: [RENAMED] } }),
    turns: [
      run("up", [before]),
      ...health("fail"),
      run("up", [red]),
      ...(isSilent ? [outage("n1", true), run("up", [red]), outage("n1", false)] : []),
      ...random.some([refresh()], 0.3),
      run("up", [next], { options }),
      ...random.some([run("up", [next])], 0.5),
      ...health("pass"),
      run("up", [about === "name" ? next : red]),
    ],
  };
}

/** Resources that end with what they have put there alone, after a refresh, a new name, another resource in their place or their time. */
function ended(random: Random): Course {
  const onDestroy = random.pick(["created", "created", "created", "remove"]);
  const met = random.pick([WIDE, KEPT]);
  const expires = random.chance(0.5) ? { expires: inAnHour() } : {};
  const entry = entryOf(met, { set: "blocked", value: 1, onDestroy, onExisting: "adopt", ...expires });
  const one = random.chance(0.6) ? entry : holder(random, { [WIDE]: 1, [KEPT]: 1 }, { onDestroy, onExisting: "adopt" });
  const renamed = { ...one, name: `${one.name}-2`, ...(random.chance(0.5) && { options: { aliases: [one.name] } }) };
  const isRenamed = random.chance(0.4);
  // An end of it and a create in one run, or the same by hand, or another name.
  const replaced = { ...one, args: { ...one.args, onExisting: "fail" }, options: { replaceOnChanges: ["onExisting"] } };
  const last = isRenamed ? renamed : random.chance(0.6) ? replaced : one;
  const options: RunOptions = {
    ...(last === one && { replace: [one.name] }),
    ...(random.chance(isRenamed ? 0.6 : 0.3) && { refresh: true }),
  };
  const goesOver = [
    act({ actor: "time", ms: 2 * HOUR_MS }),
    run("up", [last]),
    colleague("n1", { insert: { [met]: random.int(1, 2) } }),
  ];
  return {
    sets: random.chance(0.6) ? { [met]: 1 } : {},
    turns: [
      run("up", [one]),
      ...random.some([refresh()], 0.5),
      ...(isRenamed || random.chance(0.5) ? [run("up", [last], { options })] : []),
      ...(random.chance(0.5) ? goesOver : []),
      ...random.some([refresh()], 0.5),
      ...random.some([run("up", [last])], 0.4),
      run(random.pick(["destroy", "destroy", "up"]), []),
    ],
  };
}

/** Arguments that are secret from the first run or become so, and are lost or in the way. */
function hidden(random: Random): Course {
  const open = holder(random, { [WIDE]: 1, [KEPT]: 2 }, { onExisting: "adopt" });
  const secret = { ...open, options: { secret: ["entries"] } };
  const happens = random.pick<Turn>([
    colleague("n1", { remove: [WIDE] }),
    colleague("n1", { insert: { [WIDE]: 7 } }),
    colleague("n1", { insert: { [FOREIGN]: 7 } }),
    act({ actor: "node", node: "n1", restart: "empty" }),
  ]);
  const failing = { kind: "fault", at: "n1", fault: { status: 503, cmd: "insert", nth: 1, times: 100 } } as const;
  return {
    sets: random.chance(0.5) ? { [WIDE]: 1 } : {},
    turns: [
      ...(random.chance(0.5) ? [run("up", [open])] : []),
      run("up", [secret]),
      happens,
      ...random.some([refresh()], 0.5),
      run("up", [secret], {
        options: random.chance(0.4) ? { refresh: true } : {},
        meanwhile: random.some([failing], 0.3),
      }),
    ],
  };
}

/** Of two processes one declares what the other removes, at another name of the node or late. */
function twoPlaces(random: Random): Course {
  const part = (name: string, instance: number, more: Args): Declared => ({
    type: "PrefixSet",
    name,
    args: { arena: "edge", set: "blocked", node: "n1", entries: OWN, exclusive: false, ...more },
    options: { instance },
  });
  const [one, other] = random.shuffle([1, 2]) as [number, number];
  if (random.chance(0.5)) {
    const twin = "n1b";
    const entry = (name: string, node: string, instance: number): Declared => ({
      ...entryOf(WIDE, { set: "blocked", node, onExisting: "adopt" }),
      name,
      options: { instance },
    });
    const isEntry = random.chance(0.5);
    const was = isEntry ? entry("was", "n1", one) : part("was", one, {});
    const is = isEntry ? entry("is", twin, other) : part("is", other, { node: twin, onExisting: "adopt" });
    return {
      settings: { distinctNodes: "false" },
      instances: 2,
      node: { aliases: [twin] },
      turns: [run("up", [was]), run("up", [is])],
    };
  }
  const all = MANY.slice(0, 8);
  // Each is declared when the one before it is there, and so at some moment of the removal.
  const chain = all.map((prefix, index) => {
    const { name, ...entry } = entryOf(prefix, { set: "blocked", onExisting: "adopt" });
    return {
      ...entry,
      name: `late-${index}`,
      options: { instance: other, ...(index > 0 && { dependsOn: [`late-${index - 1}`] }) },
    };
  });
  const many = part("many", one, { entries: { ...OWN, ...plain(all) } });
  const few = part("many", one, {});
  return {
    instances: 2,
    settings: { node: { maxEntriesPerRequest: 1 } },
    turns: [
      run("up", [many]),
      run("up", random.chance(0.5) ? [few, ...chain] : [...chain.slice(0, 2), few, ...chain.slice(2)]),
    ],
  };
}
