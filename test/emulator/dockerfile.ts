/** One instruction of a Dockerfile: `RUN`, with all that stands behind it. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** The instructions of a Dockerfile, without comments, each on one line. */
export function instructions(dockerfile: string): Instruction[] {
  return dockerfile
    .replace(/^#.*\n/gm, "")
    .replaceAll("\\\n", " ")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, name = "", text = ""] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
      return { name, text };
    });
}

/** The words of an instruction in the form that runs no shell. */
export function words(instruction: Instruction | undefined): string[] {
  return JSON.parse(/\[.*\]$/.exec(instruction?.text ?? "")?.[0] ?? "[]");
}
