/** An environment variable that this package reads or sets. */
export interface Variable {
  /** Key or option with the same meaning. */
  readonly same?: string;
  /** A secret is in no state, and is cut out of messages. */
  readonly isSecret?: true;
  readonly about: string;
  readonly example: string;
}

/** Every variable of this package, in the order of the reference; those of the engine are in Pulumi's documentation. */
export const VARIABLES: Readonly<Record<string, Variable>> = {
  PACKETFILTER_ENDPOINT: {
    same: "packetfilter:endpoint, --endpoint",
    about:
      "The base url of the unnamed node, with or without /fapi. Credentials of the environment then go to this address only.",
    example: "https://192.0.2.10",
  },
  PACKETFILTER_HEADERS: {
    same: "packetfilter:headers, --header, --header-file",
    isSecret: true,
    about: "Request headers for that node, as one JSON object of texts.",
    example: '{"authorization":"Bearer …"}',
  },
  PACKETFILTER_SIGNALING_URL: {
    same: "packetfilter:signalingUrl, --signaling-url",
    about: "The base url of the unnamed receiver, without client id and secret key.",
    example: "https://192.0.2.20/path",
  },
  PACKETFILTER_CLIENT_ID: {
    same: "packetfilter:clientId, --client-id",
    about: "The client of that receiver.",
    example: "client-a",
  },
  PACKETFILTER_SECRET_KEY: {
    same: "packetfilter:secretKey",
    isSecret: true,
    about: "The secret key of that client.",
    example: "…",
  },
  PACKETFILTER_CREDENTIAL_HOSTS: {
    about:
      "The only hosts to which credentials of the environment may go, with commas between them. Set and empty: none. A host means its https address, unless it is written with http://.",
    example: "node.example.net,*.example.net:8443",
  },
  PACKETFILTER_READ_ONLY: {
    same: "packetfilter:readOnly",
    about: "true: preview and refresh work, and nothing is changed anywhere.",
    example: "true",
  },
  PACKETFILTER_ALLOW: {
    about: "Urls of sets for which maxRemovals and maxChanges do not hold in this run, separated by blanks or commas.",
    example: "prefixset://edge/blocked",
  },
  PACKETFILTER_ALLOW_WAVE: {
    about:
      "Urls of sets of which a wave that did not pass counts as passed in this run, separated by blanks or commas.",
    example: "prefixset://edge/blocked",
  },
  PACKETFILTER_ALLOW_CODE: {
    about:
      "The modules that answers.read may name: paths with commas between them, relative to the working folder of the run, or 1 for every one. Without it none is loaded.",
    example: "./read-fra1.cjs",
  },
  PACKETFILTER_ACTOR: {
    about: "Who acts, for the audit log.",
    example: "ci/1234",
  },
  PACKETFILTER_POLICIES: {
    same: "--policies of policies/run",
    about: "The file with the settings of the policies. Default: packetfilter-policies.yaml beside the program.",
    example: "../policies.yaml",
  },
  PACKETFILTER_POLICIES_EMERGENCY: {
    same: "emergency in the file",
    about: "Why the policies warn instead of failing in this run. Each message repeats the reason.",
    example: "INC-4711",
  },
  PACKETFILTER_POLICIES_REPORT: {
    same: "--report of policies/run",
    about: "The file to which the policies write their findings, for report --policies.",
    example: "findings.ndjson",
  },
  PACKETFILTER_PROGRAM_FOLDER: {
    about:
      "The folder of the program, from which the policies read their settings. policies/run sets it to its working folder.",
    example: "/srv/edge",
  },
  PACKETFILTER_EMULATOR_CONTROL: {
    same: "--at",
    about: "The address of the emulator's control API, for the commands below emulator.",
    example: "http://127.0.0.1:8081",
  },
  PACKETFILTER_EMULATOR_TOKEN: {
    same: "--token, --control-token",
    isSecret: true,
    about: "The token of that control API.",
    example: "…",
  },
  PACKETFILTER_NODES: {
    about: "Set for the command of a rollout check: the names of the nodes of the wave, with commas between them.",
    example: "fra1,ams1",
  },
  PACKETFILTER_SET: {
    about: "Set for the command of a rollout check: the url of the set.",
    example: "prefixset://edge/blocked",
  },
};

export function variablesHelp(): string {
  const lines = Object.entries(VARIABLES).map(([name, { about, same }]) => {
    const instead = same === undefined ? "" : `\n      also ${same}`;
    return `  ${name}\n      ${about}${instead}`;
  });
  return ["", "Variables:", ...lines].join("\n");
}
