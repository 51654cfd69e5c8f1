import { VARIABLES } from "../../provider/commands/helping/variables";

/** The environment variables, a section each, from the table that the help prints. */
export function environmentPage(): Record<string, string> {
  const sections = Object.entries(VARIABLES).map(([name, { about, same, isSecret, example }]) =>
    [
      `## ${name}`,
      `${about}${isSecret ? " It is a secret: no state keeps it, and messages do not show it." : ""}`,
      ...(same === undefined ? [] : [`The same can be said by ${same}.`]),
      `\`\`\`sh\nexport ${name}='${example}'\n\`\`\``,
    ].join("\n\n"),
  );
  const about =
    "Variables that this package reads, and two that it sets. Arguments of a resource come first, then the stack's configuration, then these.";
  return { environment: `# Environment variables\n\n${about}\n\n${sections.join("\n\n")}\n` };
}
