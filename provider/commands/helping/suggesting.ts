import { Command, InvalidArgumentError, type Option } from "commander";
import { likelyMeant } from "../../model/nearest";

/** A command that suggests the likely spelling of an unknown option, command or value. */
export class SuggestingCommand extends Command {
  override createCommand(name?: string): SuggestingCommand {
    return new SuggestingCommand(name);
  }

  override addOption(option: Option): this {
    const { argChoices } = option;
    if (argChoices) option.argParser((value: string) => oneOf(argChoices, value));
    return super.addOption(option);
  }

  /** Replaces the suggestions of the library, which differ from those for configuration keys. */
  unknownOption(flag: string): void {
    if (Reflect.get(this, "_allowUnknownOption") === true) return;
    const known = this.createHelp()
      .visibleOptions(this)
      .flatMap(({ long }) => long ?? []);
    this.error(sentence(`error: unknown option '${flag}'`, flag, known), { code: "commander.unknownOption" });
  }

  /** Reports an unknown subcommand, also of a command that runs without one, and a file that lacks its option. */
  _excessArguments(received: readonly string[]): void {
    if (this.commands.length > 0 && this.registeredArguments.length === 0) this.unknownCommand();
    else if (this.registeredArguments.length === 0 && this.options.some(({ long }) => long === "--file"))
      this.error(`error: '${received[0]}' stands alone: write --file ${received[0]}`, {
        code: "commander.excessArguments",
      });
    else Reflect.get(Command.prototype, "_excessArguments").call(this, received);
  }

  unknownCommand(): void {
    const [name = ""] = this.args;
    const known = this.createHelp()
      .visibleCommands(this)
      .map((command) => command.name());
    this.error(sentence(`error: unknown command '${name}'`, name, known), { code: "commander.unknownCommand" });
  }
}

/** Checks the value of an option or argument. @throws {InvalidArgumentError} */
export function oneOf(choices: readonly string[], value: string): string {
  if (choices.includes(value)) return value;
  throw new InvalidArgumentError(`Allowed choices are ${choices.join(", ")}.${likelyMeant(value, choices)}`);
}

function sentence(start: string, name: string, known: readonly string[]): string {
  const meant = likelyMeant(name, known);
  return meant === "" ? start : `${start}.${meant}`;
}
