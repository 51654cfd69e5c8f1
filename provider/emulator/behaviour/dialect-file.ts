import { readFile } from "node:fs/promises";
import { messageOf } from "../../model/errors";
import { isObject } from "../../model/json";
import { DIALECTS, type Dialect, dialect, parseDialect } from "./dialect";

/**
 * The dialect that a text of the command line means: a name, `seed:N`, or a file with switches in JSON, alone or under
 * `dialect` beside other things, as `probe --out` writes them. A name goes before a file that is called the same.
 *
 * @throws {TypeError} when it is none of these, or a switch or its setting is unknown.
 */
export async function readDialect(text: string): Promise<Dialect> {
  if (text in DIALECTS || /^seed:/.test(text)) return dialect(text);
  const source = await readSource(text);
  let content: unknown;
  try {
    content = JSON.parse(source);
  } catch (error) {
    throw new TypeError(`The dialect ${text} is not JSON: ${messageOf(error)}.`);
  }
  const settings = isObject(content) && "dialect" in content ? content.dialect : content;
  try {
    return parseDialect(settings);
  } catch (error) {
    throw new TypeError(`${text}: ${messageOf(error)}`);
  }
}

async function readSource(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    throw new TypeError(
      `Unknown dialect ${JSON.stringify(path)}: write ${Object.keys(DIALECTS).join(", ")}, seed:N, or a file with switches (${messageOf(error)}).`,
    );
  }
}
