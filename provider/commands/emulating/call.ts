import { type Command, Option } from "commander";
import { z } from "zod";
import { connectEmulator, type RemoteEmulator } from "../../emulator/index";
import { fromTexts, strictly } from "../../emulator/validation/strict";
import { type CliIo, UsageError } from "../cli-io";
import { unlessStopped } from "../interruption";
import { wholeNumber, wrongUse } from "../option-values";

/** The options that say which emulator is called. */
export interface AddressFlags {
  readonly at?: string;
  readonly token?: string;
}

/** Adds {@link AddressFlags} to a command. */
export function addAddress(command: Command): Command {
  return command
    .option("--at <url>", "address of its control API; also PACKETFILTER_EMULATOR_CONTROL")
    .option("--token <token>", "token of its control API; also PACKETFILTER_EMULATOR_TOKEN");
}

/** A command that calls a running emulator: it returns what is printed. */
export type Call<More> = (
  emulator: RemoteEmulator,
  flags: More,
  words: readonly string[],
  io: CliIo,
) => Promise<string>;

/** Adds such a command. What the emulator refuses as wrong is wrong use (exit code 2), all else that fails a failure (1). */
export type AddCall = <More>(usage: string, about: string, call: Call<More>) => Command;

/** Adds commands below `emulator`, each with the options that say which emulator it calls. */
export function callsOf(emulator: Command, io: CliIo): AddCall {
  return <More>(usage: string, about: string, call: Call<More>) => {
    const command = addAddress(emulator.command(usage).description(`a running emulator: ${about}`));
    return command.action(async () => {
      const flags = command.opts<AddressFlags & More>();
      const called = wrongUse(TypeError, async () => call(await connect(flags, io), flags, command.args, io));
      io.out(await unlessStopped(io.stop, called));
    });
  };
}

/** Output of a command: for people, or the JSON that the member of the emulator gives. */
export interface Printing {
  readonly output: "table" | "json";
}

/** The option of {@link Printing}. */
export const outputOption = () =>
  new Option("--output <form>", "form of what is printed").choices(["table", "json"]).default("table");

/** Words such as `cmd=commit status=503` as what a schema describes. @throws {UsageError} or {TypeError} naming what is wrong. */
export function members<Schema extends z.ZodObject>(
  schema: Schema,
  words: readonly string[],
  about: string,
): z.output<Schema> {
  const texts = Object.fromEntries(words.map((word) => pair(word, "member=value, such as cmd=commit")));
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

/** The two sides of the first `=`. @throws {UsageError} where one is missing, with how it is written. */
export function pair(word: string, written: string): [string, string] {
  const at = word.indexOf("=");
  if (at < 1) throw new UsageError(`${JSON.stringify(word)} is written ${written}.`);
  return [word.slice(0, at), word.slice(at + 1)];
}

/** Adds an option for each member of an input, as the member is described. */
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
      "Say which emulator: --at URL or PACKETFILTER_EMULATOR_CONTROL, the control address in its ready line.",
    );
  }
  return connectEmulator(address, { token: token ?? (env.PACKETFILTER_EMULATOR_TOKEN || undefined) });
}
