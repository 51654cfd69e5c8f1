import { messageOf } from "../../model/errors";
import { ExcessError } from "../../model/plain-data";
import { readYaml } from "../../model/yaml";
import { type EmulatorState, StateError } from "./state";

/** Level of mark records in a state: `arenas`, name, `profiles`, name, `marks`, type, record. Each record is on one line. */
const RECORD_LEVEL = 7;

/** A state as readable YAML, the inverse of {@link fromYaml}. */
export function toYaml(state: EmulatorState): string {
  return hasMembers(state) ? [...linesOf(state, 0)].join("") : "{}\n";
}

/** @throws {StateError} with the place of a mistake. */
export function fromYaml(source: string, path: string): unknown {
  try {
    return readYaml(source);
  } catch (error) {
    if (error instanceof ExcessError) throw new StateError(`${path} ${error.message}.`);
    const [reason = ""] = messageOf(error).split("\n");
    throw new StateError(`${path} is not YAML: ${reason.replace(/:$/, "")}.`);
  }
}

/** Lines of a container that is not empty. */
function* linesOf(container: object, level: number): Generator<string, void> {
  const indent = "  ".repeat(level);
  const isBlock = (value: unknown): value is object => level + 1 < RECORD_LEVEL && hasMembers(value);
  if (Array.isArray(container)) {
    for (const item of container) {
      if (!isBlock(item)) yield `${indent}- ${inLine(item)}\n`;
      else {
        let start = `${indent}- `;
        for (const line of linesOf(item, level + 1)) {
          yield start + line.slice(start.length);
          start = "";
        }
      }
    }
    return;
  }
  for (const [name, value] of Object.entries(container)) {
    if (value === undefined) continue;
    if (!isBlock(value)) yield `${indent}${scalar(name)}: ${inLine(value)}\n`;
    else {
      yield `${indent}${scalar(name)}:\n`;
      yield* linesOf(value, level + 1);
    }
  }
}

/** A value on the rest of a line. */
function inLine(value: unknown): string {
  if (typeof value === "string") return scalar(value);
  if (Array.isArray(value)) return `[${value.map(inLine).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${scalar(name)}: ${inLine(member)}`).join(", ")}}`;
}

const WORD = /^[A-Za-z_][\w./-]*$/;
/** Words that some version of YAML takes for another value (YAML 1.1, types bool and null). */
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i;
const IPV4 = /^\d+(?:\.\d+){3}(?:\/\d+)?$/;
const IPV6 = /^[\da-f]+(?::[\da-f]*){2,7}(?:\/\d+)?$/;
/** Signs of which a text of the form {@link IPV6} has one: digits and colons alone are a number in YAML 1.1. */
const NOT_A_NUMBER = /[a-f/]|::/;

/** Not with a colon at its end, which would make it a name. */
function isIpv6(text: string): boolean {
  return IPV6.test(text) && NOT_A_NUMBER.test(text) && !text.endsWith(":");
}

/** A text: as it is where no reader takes it for anything else, otherwise as JSON, which is YAML too. */
function scalar(text: string): string {
  const isPlain = (WORD.test(text) && !RESERVED.test(text)) || IPV4.test(text) || isIpv6(text);
  return isPlain ? text : JSON.stringify(text);
}

function hasMembers(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  return Object.keys(value).length > 0;
}
