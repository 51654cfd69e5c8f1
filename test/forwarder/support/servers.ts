import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownPort } from "../../support/ports";

/** Limit on building both servers on a busy machine. */
export const BUILD_TIMEOUT = 300_000;

/** A server of its own kind on loopback. */
export interface Server extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** Ends it at once, as a power cut does. */
  kill(): Promise<void>;
}

/** Starts a program, and waits until a request to `ready` succeeds. */
export async function run(file: string, args: string[], ready: () => Promise<boolean>): Promise<ChildProcess> {
  const child = spawn(file, args, { stdio: ["ignore", "ignore", "pipe"] });
  let words = "";
  child.stderr?.on("data", (chunk) => {
    words = `${words}${chunk}`.slice(-2_000);
  });
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${file} ended with ${child.exitCode}: ${words}`);
    if (await ready().catch(() => false)) return child;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill(signal);
  await gone;
}

/** VictoriaLogs, with what its tests ask of it. */
export interface VictoriaLogs extends Server {
  readonly syslogPort: number;
  readonly syslogTlsPort: number;
  /** The records that match a LogsQL query, with the fields that it names. */
  query(query: string): Promise<Record<string, string>[]>;
}

/** Starts VictoriaLogs. `tls`: certificate and key for syslog, PEM. */
export async function startVictoriaLogs(tls: { cert: string; key: string }): Promise<VictoriaLogs> {
  const { ensureServer } = await import("../../../tools/servers/ensure.mjs");
  const file = await ensureServer("victoria-logs");
  const folder = mkdtempSync(join(tmpdir(), "packetfilter-vlogs-"));
  const [port, syslogPort, syslogTlsPort] = [await ownPort(), await ownPort(), await ownPort()];
  writeFileSync(join(folder, "cert.pem"), tls.cert);
  writeFileSync(join(folder, "key.pem"), tls.key);
  const url = `http://127.0.0.1:${port}`;
  const child = await run(
    file,
    [
      `-httpListenAddr=127.0.0.1:${port}`,
      `-storageDataPath=${join(folder, "data")}`,
      "-retentionPeriod=100y",
      `-syslog.listenAddr.tcp=127.0.0.1:${syslogPort}`,
      `-syslog.listenAddr.tcp=127.0.0.1:${syslogTlsPort}`,
      "-syslog.tls=false",
      "-syslog.tls=true",
      `-syslog.tlsCertFile=${join(folder, "cert.pem")}`,
      `-syslog.tlsKeyFile=${join(folder, "key.pem")}`,
      "-memory.allowedBytes=64MB",
    ],
    async () => (await fetch(`${url}/health`)).ok,
  );
  const query = async (text: string): Promise<Record<string, string>[]> => {
    await fetch(`${url}/internal/force_flush`);
    const answer = await fetch(`${url}/select/logsql/query`, {
      method: "POST",
      body: new URLSearchParams({ query: text, limit: "1000000" }),
    });
    const lines = (await answer.text()).split("\n").filter((line) => line !== "");
    return lines.map((line) => JSON.parse(line));
  };
  const end = async (signal: NodeJS.Signals) => {
    await ended(child, signal);
    rmSync(folder, { recursive: true, force: true });
  };
  return {
    url,
    port,
    syslogPort,
    syslogTlsPort,
    query,
    kill: () => end("SIGKILL"),
    [Symbol.asyncDispose]: () => end("SIGKILL"),
  };
}

/**
 * Starts nats-server with JetStream. On a `port` and in a `folder` of before, it is the same server again. With `tls` it takes
 * only clients with a certificate of the authority.
 */
export async function startNats(
  again: { port?: number; folder?: string; tls?: { ca: string; cert: string; key: string }; more?: string[] } = {},
): Promise<Server & { folder: string }> {
  const { ensureServer } = await import("../../../tools/servers/ensure.mjs");
  const file = await ensureServer("nats");
  const folder = again.folder ?? mkdtempSync(join(tmpdir(), "packetfilter-nats-"));
  const port = again.port ?? (await ownPort());
  const monitor = await ownPort();
  const args = [
    "-a",
    "127.0.0.1",
    "-p",
    String(port),
    "-m",
    String(monitor),
    "-js",
    "-sd",
    folder,
    ...(again.more ?? []),
  ];
  for (const [name, pem] of Object.entries(again.tls ?? {})) {
    const pemFile = join(folder, `${name}.pem`);
    writeFileSync(pemFile, pem);
    args.push(name === "ca" ? "--tlscacert" : `--tls${name}`, pemFile);
  }
  if (again.tls) args.push("--tlsverify");
  const child = await run(file, args, async () => (await fetch(`http://127.0.0.1:${monitor}/healthz`)).ok);
  const kill = () => ended(child, "SIGKILL");
  return {
    url: `nats://127.0.0.1:${port}`,
    port,
    folder,
    kill,
    [Symbol.asyncDispose]: async () => {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts three of them that keep what they store together. */
export async function startNatsCluster(): Promise<readonly Server[]> {
  const routes = [await ownPort(), await ownPort(), await ownPort()];
  const all = routes.map((port) => `nats://127.0.0.1:${port}`).join(",");
  return Promise.all(
    routes.map((port, index) =>
      startNats({
        more: ["-n", `n${index}`, "--cluster_name", "three", "--cluster", `nats://127.0.0.1:${port}`, "--routes", all],
      }),
    ),
  );
}

/** The version that a `go.mod` pins. */
export function pinned(module: string, of: string): string | undefined {
  const text = readFileSync(join(__dirname, "../../../tools/servers", module, "go.mod"), "utf8");
  return new RegExp(`${of.replace(/[/.]/g, "\\$&")} v(\\S+)`).exec(text)?.[1];
}
