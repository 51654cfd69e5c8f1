import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, realpath, rm, rmdir } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { platform, tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { privateFolder } from "../../files/private-folder";
import { codeOf, messageOf } from "../../model/errors";
import { LOCK } from "../defaults";
import { StateError } from "./state";

/**
 * Locks a file for one emulator by a listening socket beside the file. A killed process leaves a socket without a listener,
 * even if its number is in use again or it ran in another container; such a socket is removed. Machines that share a disk do
 * not see each other's sockets.
 *
 * Other users of the machine are not trusted: a socket of theirs is an error at once, and their connections do not delay the
 * release.
 *
 * @returns a function that releases the lock.
 * @throws {StateError} if another emulator has the lock, naming its process, or another user.
 */
export async function lockFile(file: string): Promise<() => Promise<void>> {
  const [adjacent, elsewhere] = await placesOf(file);
  // Some folders shared with containers do not support sockets.
  const place =
    adjacent === undefined ? await elsewhere() : await listen(adjacent).then((server) => server ?? adjacent, elsewhere);
  if (typeof place !== "string") return () => close(place);
  for (let tries = 0; tries < LOCK.tries; tries += 1) {
    const server = await listen(place);
    if (server) return () => close(server);
    const left = await identityOf(place);
    if (left?.isOthers) {
      throw new StateError(
        `${file} cannot be kept: its lock ${place} belongs to another user (${left.uid}). Ask for its removal, or keep the state in a folder where no other user can write.`,
      );
    }
    const owner = (await ownerOf(place)) ?? (await sleep(LOCK.pauseMs, place).then(ownerOf));
    if (owner !== undefined) throw inUse(file, owner);
    if (left !== undefined) await takeAway(place, left.name);
  }
  throw new StateError(`${file} cannot be kept: its lock ${place} can neither be taken nor removed.`);
}

function close(server: Server): Promise<void> {
  return new Promise((closed) => server.close(() => closed()));
}

/** Identity of a socket, which differs for one that another process makes in its place. */
function identityOf(place: string): Promise<{ name: string; uid: bigint; isOthers: boolean } | undefined> {
  return lstat(place, { bigint: true }).then(
    ({ ino, ctimeNs, uid }) => {
      const own = process.getuid?.();
      return { name: `${ino}-${ctimeNs}`, uid, isOthers: own !== undefined && uid !== BigInt(own) };
    },
    () => undefined,
  );
}

/** Removes an abandoned socket and no other: only one process may, and it first checks again that the socket is the same. */
async function takeAway(place: string, left: string): Promise<void> {
  const claim = `${place}.${left}`;
  const isMine = await mkdir(claim).then(
    () => true,
    () => false,
  );
  if (!isMine) return;
  try {
    if ((await identityOf(place))?.name === left && (await ownerOf(place)) === undefined)
      await rm(place, { force: true });
  } finally {
    await rmdir(claim);
  }
}

/** Paths of the socket: beside the file, or, if that name is too long, in a folder of this user among temporary files. */
async function placesOf(file: string): Promise<[adjacent: string | undefined, elsewhere: () => Promise<string>]> {
  const folder = await realpath(dirname(resolve(file))).catch(() => {
    const name = dirname(resolve(file));
    throw new StateError(`The state cannot be kept in ${file}: the folder ${name} does not exist. Create it first.`);
  });
  const whole = await realpath(file).catch(() => join(folder, basename(file)));
  const hash = createHash("sha256").update(whole).digest("hex").slice(0, 16);
  const pipe = `\\\\.\\pipe\\packetfilter-${hash}`;
  if (platform() === "win32") return [pipe, async () => pipe];
  const elsewhere = async () => {
    try {
      return join(privateFolder(join(tmpdir(), `packetfilter-${process.getuid?.()}`)), `${hash}.lock`);
    } catch (error) {
      throw new StateError(
        `${file} cannot be kept: its lock needs a folder that no other user can use, and ${messageOf(error)}. Set TMPDIR to such a place.`,
      );
    }
  };
  const adjacent = join(dirname(whole), `.${basename(whole)}.lock`);
  return [Buffer.byteLength(adjacent) <= LOCK.longestName ? adjacent : undefined, elsewhere];
}

/** `undefined` if a socket exists already, in use or abandoned. */
function listen(place: string): Promise<Server | undefined> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    // A caller that keeps its end open would prevent the release of the lock.
    socket.end(String(process.pid), () => socket.destroy());
  });
  return new Promise((taken, failed) => {
    server.once("error", (error) => {
      if (codeOf(error) === "EADDRINUSE") taken(undefined);
      else failed(error);
    });
    server.listen({ path: place, exclusive: true }, () => {
      server.unref();
      // A pipe of Windows has no mode.
      chmod(place, 0o600).then(
        () => taken(server),
        () => taken(server),
      );
    });
  });
}

/** The process with the lock, if it answers in time; `undefined` if none listens. */
function ownerOf(place: string): Promise<string | undefined> {
  return new Promise((found, failed) => {
    let answer = "";
    const socket = connect(place);
    socket.setTimeout(LOCK.answerMs, () => {
      socket.destroy();
      found("unknown: it does not answer");
    });
    socket.setEncoding("utf8").on("data", (text) => {
      answer += text;
    });
    socket.once("end", () => found(answer));
    socket.once("error", (error) => {
      const code = codeOf(error);
      if (code === "ECONNREFUSED" || code === "ENOENT") found(undefined);
      else failed(error);
    });
  });
}

function inUse(file: string, owner: string): StateError {
  return new StateError(
    `${file} is kept by another emulator (process ${owner}): two would lose each other's changes. End that one, or keep this one's state in another file.`,
  );
}
