import { run } from "../commands/support";

/** Pages of the commands by file name, from their own help. */
export async function commandPages(): Promise<Record<string, string>> {
  const names = subcommands((await run(["--help"])).out);
  const pages = await Promise.all(
    names.map(async (name) => [`command-${name}`, `# pulumi-packetfilter ${name}\n\n${await sections([name])}\n`]),
  );
  return Object.fromEntries(pages);
}

/** The help of a command, and below it that of each of its commands. */
async function sections(words: readonly string[]): Promise<string> {
  const { out } = await run([...words, "--help"]);
  const below = await Promise.all(subcommands(out).map((name) => sections([...words, name])));
  const heading = words.length > 1 ? `## ${words.join(" ")}\n\n` : "";
  return [`${heading}\`\`\`text\n${out.trim()}\n\`\`\``, ...below].join("\n\n");
}

/** Names in the list of commands of a help text, without those that only show texts. */
function subcommands(help: string): string[] {
  const [, list = ""] = /^Commands:\n((?: {2}.*\n?)+)/m.exec(help) ?? [];
  const names = [...list.matchAll(/^ {2}(\w[\w-]*)/gm)].map(([, name = ""]) => name);
  return names.filter((name) => !["environment", "help", "version"].includes(name));
}
