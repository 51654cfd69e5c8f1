import { z } from "zod";
import { attempt, caught } from "../../model/errors";
import { repeatedMember } from "../../model/repeated-member";
import type { Dialect } from "../behaviour/dialect";
import { json, type Reply, text } from "../http/reply";
import { BadRequest, parseJson } from "../http/request";
import { fill } from "../http/template";
import type { RequestSummary, SignalingOperation } from "../journal/entry";
import { bareAddress, success } from "../node/node-replies";
import type { Api, Incoming, Interpretation } from "../serving/api";
import type { Simulation } from "../simulation";
import { type DeploymentClient, SIGNALING_ERRORS, type SignalingErrorText } from "../state/signaling-deployment";

const METHODS = { status: "GET", start: "POST", stop: "POST" } as const;

const bodySchema = z.strictObject({ IP_prefix: z.array(z.string()) });

const ERRORS: Record<Dialect["signalingErrors"], (status: number, message: string) => Reply> = {
  status: text,
  "text-200": (_, message) => text(200, message),
  json: (status, message) => json(status, { error: message }),
  "json-message": (status, message) => json(status, { message }),
  "json-detail": (status, message) => json(status, { detail: message }),
  "json-200": (_, message) => json(200, { error: message }),
};

/** The signaling API below one base path (docs/contributing/contract.md#signaling-operations). */
export class SignalingApi implements Api {
  constructor(
    private readonly simulation: Simulation,
    private readonly deployment: "signaling" | "testSignaling",
  ) {}

  interpret(request: Incoming): Interpretation {
    const error: Interpretation["error"] = (why, message) => {
      const { signalingErrors, signalingErrorText, signalingErrorStatus, capStatus } = this.simulation.dialect;
      const status = why === "tooLarge" ? capStatus : why;
      const reply =
        signalingErrorText === ""
          ? ERRORS[signalingErrors](status, message)
          : text(signalingErrorStatus || status, fill(signalingErrorText, { message }));
      return { ...reply, refused: true };
    };
    const path = parsePath(request.target);
    if (!path) {
      const form = "/<client-id>/<secret-key>/{status,start,stop}";
      return { summary: {}, error, run: () => error(404, `unknown path: write ${form} after the base address`) };
    }
    const { client, op } = path;
    const prefixes = op === "status" ? undefined : readBody(request.body, this.simulation.dialect);
    const summary: RequestSummary = {
      op,
      client,
      ...(Array.isArray(prefixes) && { entries: prefixes.length, data: prefixes }),
    };
    if (request.method !== METHODS[op]) {
      const allow = METHODS[op];
      const refusal = () => error(405, `${op} is called with ${allow}, not ${request.method}`);
      return { summary, error, run: () => ({ ...refusal(), headers: { allow } }) };
    }
    return { summary, error, run: () => this.carryOut(path, prefixes, error) };
  }

  private carryOut(
    { client: clientId, secret, op }: SignalingPath,
    prefixes: string[] | BadRequest | undefined,
    error: Interpretation["error"],
  ): Reply {
    const { dialect, contents } = this.simulation;
    const fail = (message: SignalingErrorText) => error(SIGNALING_ERRORS[message], message);
    const client = contents[this.deployment].authenticate(clientId, secret);
    if (!client) return op === "status" ? wrongSecret(dialect, fail) : fail("secret_key invalid");
    if (prefixes === undefined) return status(client, dialect);
    if (prefixes instanceof BadRequest) return error(400, prefixes.message);
    const read = client.read(prefixes, dialect);
    if (read.length === 0) return fail("ip_prefix invalid");
    const problem = op === "start" ? client.start(read, dialect) : client.stop(read, dialect);
    return problem ? fail(problem) : success(read.length, dialect.signalingSuccess, dialect.signalingText);
  }
}

function wrongSecret(dialect: Dialect, fail: (message: SignalingErrorText) => Reply): Reply {
  if (dialect.statusWrongSecret === "not-found") return text(404, "not found");
  return dialect.statusWrongSecret === "empty" ? writeStatus([], dialect) : fail("secret_key invalid");
}

function status(client: DeploymentClient, dialect: Dialect): Reply {
  const active = client.active(dialect.statusDelay);
  return writeStatus(dialect.statusForm === "bare" ? active.map(bareAddress) : active, dialect);
}

function writeStatus(prefixes: readonly string[], dialect: Dialect): Reply {
  const { statusFormat, statusEnvelope, statusName, statusSingle, statusEmpty } = dialect;
  const isEmpty = prefixes.length === 0;
  if (isEmpty && statusEmpty === "not-found") return text(404, "no active signaling");
  if (isEmpty && statusEmpty === "empty") return { status: 200, body: "" };
  if (isEmpty && statusEmpty === "object") return json(200, {});
  if (statusFormat === "lines") return text(200, prefixes.map((prefix) => `${prefix}\n`).join(""));
  const isSingle = prefixes.length === 1 && statusSingle === "text";
  const shown = isEmpty && statusEmpty === "null" ? null : isSingle ? prefixes[0] : prefixes;
  const names = [statusEnvelope, statusName].flatMap((name) => (name === "none" ? [] : name.split(".")));
  return json(
    200,
    names.reduceRight((inner: unknown, name) => ({ [name]: inner }), shown),
  );
}

function readBody(body: Buffer, { duplicateMembers }: Dialect): string[] | BadRequest {
  return caught(
    () => {
      const value = parseJson(body);
      const repeated = duplicateMembers === "error" ? repeatedMember(body.toString("utf8"), value) : undefined;
      if (repeated !== undefined) return new BadRequest(`${JSON.stringify(repeated.name)} appears twice in one object`);
      const result = bodySchema.safeParse(value);
      if (result.success) return result.data.IP_prefix;
      return new BadRequest(`the body must be a JSON object with "IP_prefix", an array of strings, and nothing else`);
    },
    BadRequest,
    (error) => error,
  );
}

interface SignalingPath {
  readonly client: string;
  readonly secret: string;
  readonly op: SignalingOperation;
}

/** The parts of `/<base>/<client-id>/<secret-key>/<operation>`; `undefined` for any other path, a query included. */
function parsePath(target: string): SignalingPath | undefined {
  const segments = target.split("/").slice(2);
  const [client = "", secret = "", op = ""] = segments.map((segment) => attempt(() => decodeURIComponent(segment)));
  if (segments.length !== 3 || client === "" || secret === "" || !isOperation(op)) return undefined;
  return { client, secret, op };
}

function isOperation(text: string): text is SignalingOperation {
  return Object.hasOwn(METHODS, text);
}
