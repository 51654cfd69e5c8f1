import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { codeOf, messageOf } from "../model/errors";
import { type CliIo, UsageError } from "./cli-io";

interface SystemError extends Error {
  readonly code: string;
  readonly path?: unknown;
  readonly address?: unknown;
  readonly port?: unknown;
}

/** Message of a failed command. For an error of the system it names the file or port, and the remedy. */
export function failureText(error: unknown): string {
  return isSystemError(error) ? (sentence(error) ?? error.message) : messageOf(error);
}

/**
 * Opens or reads a file that the command line names.
 *
 * @param name The file, for an error that lacks its path.
 * @throws {UsageError} if it is missing, a folder, or not allowed
 */
export async function namedFile<T>(name: string, read: () => Promise<T>): Promise<T> {
  return read().catch((error: unknown) => {
    if (!isSystemError(error)) throw error;
    const { code, path } = error;
    const text = OF_FILES[code]?.(typeof path === "string" ? path : name, code);
    throw text === undefined ? error : new UsageError(text);
  });
}

/** @param name The path as it was given. @throws {UsageError} for a folder in the place of a file */
export function refuseFolder(name: string, file: string): void {
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory()) throw new UsageError(isFolder(name));
}

/** Text of such a file, from the working folder. @throws {UsageError} as {@link namedFile} */
export function textOf(name: string, { folder = "." }: CliIo): Promise<string> {
  return namedFile(name, () => readFile(resolve(folder, name), "utf8"));
}

/** Meanings of the system's codes for files. */
const OF_FILES: Readonly<Record<string, (path: string, code: string) => string>> = {
  ENOENT: (path) =>
    existsSync(dirname(path))
      ? `${path}: there is no such file or folder (ENOENT). Check the path.`
      : `${path}: its folder does not exist (ENOENT). Check the path; folders are not created.`,
  ENOTDIR: (path) => `${path}: a part of the path is a file, not a folder (ENOTDIR). Check the path.`,
  EACCES: notAllowed,
  EPERM: notAllowed,
  EISDIR: isFolder,
};

function isFolder(path: string): string {
  return `${path} is a folder, and a file is needed (EISDIR). Name a file in it.`;
}

const OF_PORTS: Readonly<Record<string, (place: string, port: number) => string>> = {
  EADDRINUSE: (place, port) =>
    `Port ${port} is in use: another process listens on ${place} (EADDRINUSE). End it, or choose another port; 0 takes a free one.`,
  EACCES: (place) =>
    `This user may not listen on ${place} (EACCES). Ports below 1024 are often reserved: choose a higher one.`,
  EADDRNOTAVAIL: (place) => `This machine has no address of ${place} (EADDRNOTAVAIL). Check --host.`,
};

function notAllowed(path: string, code: string): string {
  return `${path}: this user may not open it (${code}). Change its permissions, or name another file.`;
}

function sentence({ code, path, address, port }: SystemError): string | undefined {
  if (typeof port === "number") return OF_PORTS[code]?.(`${String(address ?? "")}:${port}`, port);
  // A read of an open folder names no path.
  if (code === "EISDIR" && path === undefined)
    return "The path is a folder, and a file is needed (EISDIR). Name a file in it.";
  return typeof path === "string" ? OF_FILES[code]?.(path, code) : undefined;
}

function isSystemError(error: unknown): error is SystemError {
  return codeOf(error) !== undefined;
}
