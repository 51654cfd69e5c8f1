import { type Command, Option } from "commander";
import { z } from "zod";
import { connectEmulator, type RemoteEmulator } from "../../emulator/index";
import { fromTexts, strictly } from "../../emulator/validation/strict";
import { type CliIo, UsageError } from "../cli-io";
import { unlessStopped } from "../interruption";
import { wholeNumber, wrongUse } from "../option-values";

export interface AddressFlags {
  readonly at?: string;
  readonly token?: string;
}

export function addAddress(command: Command): Command {
  return command
    .option("--at <url>", "address of its control API; also PACKETFILTER_EMULATOR_CONTROL")
    .option("--token <token>", "token of its control API; also PACKETFILTER_EMULATOR_TOKEN");
}

/** A command that calls a running emulator, and returns its output. */
export type Call<More> = (
  emulator: RemoteEmulator,
  flags: More,
  words: readonly string[],
  io: CliIo,
) => Promise<string>;

/** Adds such a command. Input that the emulator refuses is wrong use (exit code 2), any other failure has the code 1. */
export type AddCall = <More>(usage: string, about: string, call: Call<More>) => Command;

/** Adds commands below `emulator`, each with {@link AddressFlags}. */
export function callsOf(emulator: Command, io: CliIo): AddCall {
  return <More>(usage: string, about: string, call: Call<More>) => {
    const command = addAddress(emulator.command(usage).description(`a running emulator: ${about}`));
    return command.action(async () => {
      const flags = command.opts<AddressFlags & More>();
      const result = wrongUse(TypeError, async () => call(await connect(flags, io), flags, command.args, io));
      io.out(await unlessStopped(io.stop, result));
    });
  };
}

export interface Printing {
  readonly output: "table" | "json";
}

export const outputOption = () =>
  new Option("--output <form>", "form of the output").choices(["table", "json"]).default("table");

/**
 * Reads words such as `cmd=commit status=503` by a schema.
 *
 * @param remedy What else to do about a member that is given twice.
 * @throws {UsageError} or {TypeError} naming the mistake.
 */
export function members<Schema extends z.ZodObject>(
  schema: Schema,
  words: readonly string[],
  about: string,
  remedy = "",
): z.output<Schema> {
  const texts = Object.fromEntries(
    once(
      words.map((word) => pair(word, "member=value, such as cmd=commit")),
      remedy,
    ),
  );
  const values = Object.entries(fromTexts(schema, texts)).map(([name, value]) => [
    name,
    isList(schema, name) ? texts[name]?.split(",") : value,
  ]);
  return strictly(schema, Object.fromEntries(values), about);
}

function isList({ shape }: z.ZodObject, name: string): boolean {
  const member: unknown = Object.hasOwn(shape, name) ? shape[name] : undefined;
  return (member instanceof z.ZodOptional ? member.unwrap() : member) instanceof z.ZodArray;
}

/** The same pairs. @throws {UsageError} naming a member that is given twice: one of the values would be lost. */
export function once<Value>(pairs: readonly [string, Value][], remedy = ""): readonly [string, Value][] {
  const names = pairs.map(([name]) => name);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice === undefined) return pairs;
  throw new UsageError(`${JSON.stringify(twice)} is given twice: leave one of them out${remedy}.`);
}

/** The two sides of the first `=`. @throws {UsageError} with the right form */
export function pair(word: string, written: string): [string, string] {
  const at = word.indexOf("=");
  if (at < 1) throw new UsageError(`${JSON.stringify(word)} is written ${written}.`);
  return [word.slice(0, at), word.slice(at + 1)];
}

/** Adds an option for each member of a schema, with its description. */
export function optionsOf(command: Command, shape: Readonly<Record<string, z.ZodType>>): Command {
  for (const [name, schema] of Object.entries(shape)) {
    const isNumber = schema.safeParse(1).success && !schema.safeParse("1").success;
    const flag = `--${name}`;
    const about = schema.description ?? "";
    if (isNumber) command.option(`${flag} <number>`, about, wholeNumber(flag));
    else command.option(`${flag} <value>`, about);
  }
  return command;
}

async function connect({ at, token }: AddressFlags, { env }: CliIo): Promise<RemoteEmulator> {
  const address = at ?? env.PACKETFILTER_EMULATOR_CONTROL;
  if (!address) {
    throw new UsageError(
      "Name the emulator: --at URL or PACKETFILTER_EMULATOR_CONTROL, the control address in its ready line.",
    );
  }
  return connectEmulator(address, { token: token ?? (env.PACKETFILTER_EMULATOR_TOKEN || undefined) });
}
