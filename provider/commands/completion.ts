import { Argument, type Command } from "commander";
import type { CliIo } from "./cli-io";
import { oneOf } from "./helping/suggesting";
import type { NameKind } from "./names";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = (typeof SHELLS)[number];

const HELP = `
Examples:
  pulumi-packetfilter completion bash > /etc/bash_completion.d/pulumi-packetfilter
  pulumi-packetfilter completion zsh > "\${fpath[1]}/_pulumi-packetfilter"
  pulumi-packetfilter completion fish > ~/.config/fish/completions/pulumi-packetfilter.fish
`;

/** Adds `completion` to the command line. Its script covers all other commands of `program`. */
export function register(program: Command, io: CliIo): void {
  program
    .command("completion")
    .addArgument(new Argument("<shell>").choices(SHELLS).argParser((shell: string) => oneOf(SHELLS, shell)))
    .addHelpText("after", HELP)
    .action((shell: Shell) => io.out(SCRIPTS[shell](wordsOf(program))));
}

/** Options and arguments whose values `names` prints. */
const NAMED: Readonly<Record<string, NameKind>> = {
  "--node": "nodes",
  "--stack": "stacks",
  "--receiver": "receivers",
  "--now": "sets",
  url: "sets",
};

/** Options among them that take several names with commas. */
const LISTED: ReadonlySet<string> = new Set(["--node", "--stack"]);

interface Words {
  readonly name: string;
  readonly about: string;
  readonly options: readonly { readonly flag: string; readonly about: string; readonly values: readonly string[] }[];
  readonly below: readonly Words[];
  /** Values of its argument. */
  readonly choices: readonly string[];
  /** True if its arguments are sets. */
  readonly takesSets: boolean;
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
    below: command
      .createHelp()
      .visibleCommands(command)
      .map((one) => wordsOf(one as Command)),
    takesSets: command.registeredArguments.some((argument) => argument.name() in NAMED),
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
  };
}

const SCRIPTS: Record<Shell, (words: Words) => string> = {
  bash: (words) => `_pulumi_packetfilter_names() {
  local i
  for ((i = 1; i < COMP_CWORD - 1; i++)); do
    if [ "\${COMP_WORDS[i]}" = --stack ]; then set -- "$1" --stack "\${COMP_WORDS[i+1]}"; fi
  done
  "\${COMP_WORDS[0]}" names "$@" 2>/dev/null
}
_pulumi_packetfilter() {
  # A url is one word here, though bash parts words at colons.
  if [ -n "$BASH_VERSION" ] && [ -n "$COMP_LINE" ]; then
    local line="\${COMP_LINE:0:COMP_POINT}"
    read -ra COMP_WORDS <<< "$line"
    if [[ $line == *' ' ]]; then COMP_WORDS+=(""); fi
    COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
  fi
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} words word head colon
  case "\${COMP_WORDS[1]} $before" in
${valuesCases(words)}
  esac
  case "$before" in ${[...LISTED].join("|")}) case "$current" in *,*) head=\${current%,*},; current=\${current##*,} ;; esac ;; esac
  case "\${COMP_WORDS[1]} $current" in
${words.below.flatMap(({ name, takesSets }) => (takesSets ? `    "${name} p"*) words="$(_pulumi_packetfilter_names sets)" ;;` : [])).join("\n")}
  esac
  if [ -z "$words" ]; then
    case "\${COMP_WORDS[1]}" in
${words.below.map((one) => `      ${one.name}) words=${lines(wordsBehind(one))} ;;`).join("\n")}
    esac
    if [ "$COMP_CWORD" = 1 ]; then words=${lines(words.below.map(({ name }) => name))}; fi
  fi
  # Names are foreign texts: nothing here expands one, as compgen -W would.
  COMPREPLY=()
  while IFS= read -r word; do
    if [ -n "$word" ] && [[ $word == "$current"* ]]; then COMPREPLY+=("$head$word"); fi
  done <<< "$words"
  colon=\${current%"\${current##*:}"}
  if [ -n "$BASH_VERSION" ] && [ -n "$COMP_LINE" ] && [ -n "$colon" ]; then COMPREPLY=("\${COMPREPLY[@]#"$colon"}"); fi
}
complete -o default -F _pulumi_packetfilter pulumi-packetfilter
`,
  // A file in $fpath runs at the first completion, and must answer that one as well.
  zsh: (words) => `#compdef pulumi-packetfilter
autoload -U +X bashcompinit && bashcompinit
${SCRIPTS.bash(words)}if [ "\${funcstack[1]}" = _pulumi-packetfilter ]; then _bash_complete -o default -F _pulumi_packetfilter; fi
`,
  fish: ({ below }) =>
    [
      FISH_NAMES,
      ...below.map(({ name, about }) => `${FISH} -n __fish_use_subcommand -f -a ${name} -d ${quoted(about)}`),
      ...below.flatMap((one) => [
        ...one.below.map(({ name, about }) => `${FISH} -n '${behind(one)}' -f -a ${name} -d ${quoted(about)}`),
        ...one.choices.map((choice) => `${FISH} -n '${behind(one)}' -f -a ${choice}`),
        ...(one.takesSets ? [`${FISH} -n '${behind(one)}; and ${BEGINS_P}' -f -a ${quoted(namesIn("sets"))}`] : []),
      ]),
      ...below.flatMap((one) =>
        [one, ...one.below].flatMap(({ options }) =>
          options.map(({ flag, about, values }) => {
            const kind = NAMED[flag];
            const offered =
              (kind && namesIn(kind, LISTED.has(flag))) ?? (values.length > 0 ? values.join(" ") : undefined);
            const given = offered === undefined ? "" : ` -x -a ${quoted(offered)}`;
            return `${FISH} -n '${behind(one)}' -l ${flag.slice(2)}${given} -d ${quoted(about)}`;
          }),
        ),
      ),
      "",
    ].join("\n"),
};

const FISH = "complete -c pulumi-packetfilter";
const FISH_NAMES = `function __pulumi_packetfilter_names
    set -l words (commandline -opc)
    if set -l at (contains -i -- --stack $words); and set -q words[(math $at + 1)]
        set -a argv --stack $words[(math $at + 1)]
    end
    $words[1] names $argv 2>/dev/null
end`;
/** Names of sets take a moment, so they are offered only for words that may be one. */
const BEGINS_P = 'string match -q "p*" -- (commandline -ct)';

/** Command that fish runs for names; in a list, for the one after the last comma. */
function namesIn(kind: NameKind, isListed = false): string {
  const call = `__pulumi_packetfilter_names ${kind}`;
  return isListed ? `(__fish_complete_list , ${JSON.stringify(call)})` : `(${call})`;
}

const behind = ({ name }: Words) => `__fish_seen_subcommand_from ${name}`;

function valuesCases({ below }: Words): string {
  const cases = below.flatMap(({ name, options }) =>
    options.flatMap(({ flag, values }) =>
      offeredFor(flag, values).map((offered) => `    "${name} ${flag}") words=${offered} ;;`),
    ),
  );
  return cases.join("\n");
}

function offeredFor(flag: string, values: readonly string[]): string[] {
  if (flag in NAMED) return [`"$(_pulumi_packetfilter_names ${NAMED[flag]})"`];
  return values.length > 0 ? [lines(values)] : [];
}

/** Subcommands, values of arguments, and options, those of subcommands included. */
function wordsBehind({ below, choices, options }: Words): string[] {
  const flags = [...options, ...below.flatMap((one) => one.options)].map(({ flag }) => flag);
  return [...below.map(({ name }) => name), ...choices, ...new Set(flags)];
}

/** Words of ours as one text of bash and zsh, one a line. */
function lines(words: readonly string[]): string {
  return `$'${words.join("\\n")}'`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
