import { Option } from "commander";
import { readStates } from "../../emulator/state/state-file";
import { toYaml } from "../../emulator/state/state-yaml";
import { MAX_VALUE } from "../../model/entry";
import { count } from "../../model/text";
import { UsageError } from "../cli-io";
import { namedFile } from "../failure";
import { pretty, printed } from "../listing/output";
import { type AddCall, type Call, once, outputOption, type Printing, pair } from "./call";

export function addContents(add: AddCall): void {
  add("reset", "restore its state at the start, with an empty journal and no faults", async (emulator) => {
    await emulator.reset();
    return "The emulator is as it was at its start.\n";
  });
  add<StateFlags>("state [path]", "print its state, or set it from a file or the files of a folder", state).addOption(
    new Option("--output <form>", "form of the output").choices(["yaml", "json"]).default("yaml"),
  );
  add<SnapshotFlags>("snapshot [name]", "keep its state under a name, or list the names", snapshot)
    .option("--restore", "restore the state of this name")
    .option("--delete", "delete the state of this name")
    .addOption(outputOption());
  add<ChangeFlags>("change <url>", "change a prefix-set as an operator at the node's console, or show it", change)
    .option("--insert <prefix=value...>", "entries to insert")
    .option("--delete <prefix...>", "entries to delete")
    .addOption(outputOption());
  add<SignalFlags>("signal [client]", "start and stop signaling without a request, or list active prefixes", signal)
    .option("--start <prefix...>", "prefixes to start")
    .option("--stop <prefix...>", "prefixes to stop")
    .addOption(outputOption());
}

interface StateFlags {
  readonly output: "yaml" | "json";
}

const state: Call<StateFlags> = async (emulator, { output }, [file]) => {
  if (file === undefined) {
    const contents = await emulator.state();
    return output === "json" ? pretty(contents) : toYaml(contents);
  }
  const given = await namedFile(file, () => readStates(file));
  if (given === undefined) throw new UsageError(`${file} has no state in JSON or YAML.`);
  await emulator.seed(given);
  return `The emulator holds what ${file} says.\n`;
};

interface SnapshotFlags extends Printing {
  readonly restore?: boolean;
  readonly delete?: boolean;
}

const snapshot: Call<SnapshotFlags> = async (emulator, { restore, delete: forget, output }, [name]) => {
  if (restore && forget) throw new UsageError("--restore and --delete exclude each other.");
  if (name === undefined && (restore || forget))
    throw new UsageError(`Name the snapshot: emulator snapshot NAME ${restore ? "--restore" : "--delete"}.`);
  if (name !== undefined && restore) await emulator.restore(name);
  else if (name !== undefined && forget) await emulator.deleteSnapshot(name);
  else if (name !== undefined) await emulator.snapshot(name);
  const names = await emulator.snapshots;
  if (output === "json") return pretty(names);
  if (name === undefined) return names.map((each) => `${each}\n`).join("");
  return `Snapshot ${name}: ${restore ? "restored" : forget ? "forgotten" : "taken"}.\n`;
};

interface ChangeFlags extends Printing {
  readonly insert?: readonly string[];
  readonly delete?: readonly string[];
}

const change: Call<ChangeFlags> = async (emulator, { insert = [], delete: removed = [], output }, [url = ""]) => {
  const isChange = insert.length + removed.length > 0;
  if (isChange) await emulator.change(url, { insert: Object.fromEntries(once(insert.map(entry))), delete: removed });
  const content = await emulator.prefixSet(url);
  if (output === "json") return pretty(content);
  const { applied, staged } = content;
  const summary = `${url}: ${count(Object.keys(applied).length, "entry", "entries")}.`;
  if (isChange) return `${summary}\n`;
  const rows = Object.keys({ ...applied, ...staged }).map((prefix) => ({
    prefix,
    applied: applied[prefix],
    staged: staged[prefix],
  }));
  return printed({ columns: ["prefix", "applied", "staged"], rows, summary }, "table");
};

function entry(word: string): [string, number] {
  const [prefix, value] = pair(word, "prefix=value, such as 203.0.113.0/24=1");
  const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN;
  if (number <= MAX_VALUE) return [prefix, number];
  throw new UsageError(
    `The value of ${prefix} must be a whole number from 0 to ${MAX_VALUE}, it is ${JSON.stringify(value)}.`,
  );
}

interface SignalFlags extends Printing {
  readonly start?: readonly string[];
  readonly stop?: readonly string[];
}

const signal: Call<SignalFlags> = async (emulator, { start, stop, output }, [client]) => {
  if (client !== undefined) await emulator.signal(client, { start, stop });
  else if (start || stop) throw new UsageError("Name the client: emulator signal CLIENT --start PREFIX.");
  const active = { signalings: await emulator.signalings, testSignalings: await emulator.testSignalings };
  if (output === "json") return pretty(active);
  const rows = Object.entries(active).flatMap(([api, clients]) =>
    Object.entries(clients)
      .filter(([id]) => client === undefined || id === client)
      .flatMap(([id, prefixes]) =>
        prefixes.map((prefix) => ({ api: api === "signalings" ? "signaling" : "test", client: id, prefix })),
      ),
  );
  const summary = `${count(rows.length, "prefix is", "prefixes are")} active.`;
  return printed({ columns: ["api", "client", "prefix"], rows, summary }, "table");
};
