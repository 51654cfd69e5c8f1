import { Argument, type Command } from "commander";
import type { CliIo } from "./cli-io";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

const HELP = `
Examples:
  pulumi-packetfilter completion bash > /etc/bash_completion.d/pulumi-packetfilter
  pulumi-packetfilter completion zsh > "\${fpath[1]}/_pulumi-packetfilter"
  pulumi-packetfilter completion fish > ~/.config/fish/completions/pulumi-packetfilter.fish
`;

/** Adds `completion` to the command line. Its script is made of the commands that stand beside it, all of them loaded. */
export function register(program: Command, io: CliIo): void {
  program
    .command("completion")
    .description("print a script by which a shell completes commands and options")
    .addArgument(new Argument("<shell>", "whose script").choices(SHELLS))
    .addHelpText("after", HELP)
    .action((shell: Shell) => io.out(SCRIPTS[shell](wordsOf(program))));
}

/** What may stand behind a command. */
interface Words {
  readonly name: string;
  readonly about: string;
  readonly options: readonly { readonly flag: string; readonly about: string; readonly values: readonly string[] }[];
  readonly below: readonly Words[];
  /** What may stand as its argument. */
  readonly choices: readonly string[];
}

function wordsOf(command: Command): Words {
  return {
    name: command.name(),
    about: command.description(),
    options: command
      .createHelp()
      .visibleOptions(command)
      .flatMap(({ long, description, argChoices = [] }) =>
        long ? [{ flag: long, about: description, values: argChoices }] : [],
      ),
    below: command.commands.map(wordsOf),
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  };
}

const SCRIPTS: Record<Shell, (words: Words) => string> = {
  bash: (words) => `_pulumi_packetfilter() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words
  case "\${COMP_WORDS[1]} $before" in
${valuesCases(words)}
  esac
  if [ -z "$words" ]; then
    case "\${COMP_WORDS[1]}" in
${words.below.map((one) => `      ${one.name}) words="${wordsBehind(one)}" ;;`).join("\n")}
    esac
    if [ "$COMP_CWORD" = 1 ]; then words="${words.below.map(({ name }) => name).join(" ")}"; fi
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _pulumi_packetfilter pulumi-packetfilter
`,
  // As a file in $fpath it is run at the first completion, which it then has to answer, too.
  zsh: (words) => `#compdef pulumi-packetfilter
autoload -U +X bashcompinit && bashcompinit
${SCRIPTS.bash(words)}if [ "\${funcstack[1]}" = _pulumi-packetfilter ]; then _bash_complete -o default -F _pulumi_packetfilter; fi
`,
  fish: ({ below }) =>
    [
      ...below.map(({ name, about }) => `${FISH} -n __fish_use_subcommand -f -a ${name} -d ${quoted(about)}`),
      ...below.flatMap((one) => [
        ...one.below.map(({ name, about }) => `${FISH} -n '${behind(one)}' -f -a ${name} -d ${quoted(about)}`),
        ...one.choices.map((choice) => `${FISH} -n '${behind(one)}' -f -a ${choice}`),
      ]),
      ...below.flatMap((one) =>
        [one, ...one.below].flatMap(({ options }) =>
          options.map(({ flag, about, values }) => {
            const given = values.length > 0 ? ` -x -a ${quoted(values.join(" "))}` : "";
            return `${FISH} -n '${behind(one)}' -l ${flag.slice(2)}${given} -d ${quoted(about)}`;
          }),
        ),
      ),
      "",
    ].join("\n"),
};

const FISH = "complete -c pulumi-packetfilter";
const behind = ({ name }: Words) => `__fish_seen_subcommand_from ${name}`;

function valuesCases({ below }: Words): string {
  const cases = below.flatMap(({ name, options }) =>
    options.flatMap(({ flag, values }) =>
      values.length > 0 ? [`    "${name} ${flag}") words="${values.join(" ")}" ;;`] : [],
    ),
  );
  return cases.join("\n");
}

/** Commands below, arguments and options, those of the commands below included. */
function wordsBehind({ below, choices, options }: Words): string {
  const flags = [...options, ...below.flatMap((one) => one.options)].map(({ flag }) => flag);
  return [...below.map(({ name }) => name), ...choices, ...new Set(flags)].join(" ");
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
