import { codeOf, messageOf } from "../model/errors";

/** An error of the operating system, as Node throws it. */
interface SystemError extends Error {
  readonly code: string;
  readonly path?: unknown;
  readonly address?: unknown;
  readonly port?: unknown;
}

/** What a failed command says: a sentence with the file or the port in it and what to do, for what the system refuses. */
export function failureText(error: unknown): string {
  return isSystemError(error) ? (sentence(error) ?? error.message) : messageOf(error);
}

function sentence({ code, path, address, port }: SystemError): string | undefined {
  if (typeof port === "number") return portSentence(code, `${String(address ?? "")}:${port}`, port);
  // Reading an open folder fails without saying which one it was.
  if (code === "EISDIR")
    return `${typeof path === "string" ? path : "What was named"} is a folder, and a file is needed (EISDIR). Name a file in it.`;
  if (typeof path !== "string") return undefined;
  switch (code) {
    case "ENOENT":
      return `${path}: there is no such file or folder (ENOENT). Check the path; folders are not made.`;
    case "ENOTDIR":
      return `${path}: a part of the path is a file and no folder (ENOTDIR). Check the path.`;
    case "EACCES":
    case "EPERM":
      return `${path}: this user may not open it (${code}). Change its permissions, or name another file.`;
    default:
      return undefined;
  }
}

function portSentence(code: string, place: string, port: number): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} is taken: something else listens on ${place} (EADDRINUSE). End it, or choose another port; 0 takes a free one.`;
    case "EACCES":
      return `This user may not listen on ${place} (EACCES). Ports below 1024 are often reserved: choose a higher one.`;
    case "EADDRNOTAVAIL":
      return `This machine has no address of ${place} (EADDRNOTAVAIL). Check --host.`;
    default:
      return undefined;
  }
}

function isSystemError(error: unknown): error is SystemError {
  return codeOf(error) !== undefined;
}
