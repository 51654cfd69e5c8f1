import { Command, InvalidArgumentError, type Option } from "commander";
import { likelyMeant } from "../../model/nearest";

/** A command that suggests the likely spelling of an unknown value or subcommand, beside what the library does. */
export class SuggestingCommand extends Command {
  override createCommand(name?: string): SuggestingCommand {
    return new SuggestingCommand(name);
  }

  override addOption(option: Option): this {
    const { argChoices } = option;
    if (argChoices) option.argParser((value: string) => oneOf(argChoices, value));
    return super.addOption(option);
  }

  /** Reports an unknown subcommand, also of a command that runs without one, and a file that lacks its option. */
  _excessArguments(received: readonly string[]): void {
    if (this.commands.length > 0 && this.registeredArguments.length === 0)
      Reflect.get(Command.prototype, "unknownCommand").call(this);
    else if (this.registeredArguments.length === 0 && this.options.some(({ long }) => long === "--file"))
      this.error(`error: '${received[0]}' stands alone: write --file ${received[0]}`, {
        code: "commander.excessArguments",
      });
    else Reflect.get(Command.prototype, "_excessArguments").call(this, received);
  }
}

/** Checks the value of an option or argument. @throws {InvalidArgumentError} */
export function oneOf(choices: readonly string[], value: string): string {
  if (choices.includes(value)) return value;
  throw new InvalidArgumentError(`Allowed choices are ${choices.join(", ")}.${likelyMeant(value, choices)}`);
}
