/** The emulator refused, or did not understand. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

const KEY = "packetfilter-control-token";

/** The token of an emulator off loopback: kept for this tab only. A link may carry it behind `#token=`. */
export const token = {
  get: () => sessionStorage.getItem(KEY),
  set: (value: string) => sessionStorage.setItem(KEY, value),
  /** Takes it from the address, so that it is in no history and no picture of the window. */
  takeFromAddress() {
    const given = /^#token=(.+)$/.exec(location.hash)?.[1];
    if (given === undefined) return;
    token.set(decodeURIComponent(given));
    history.replaceState(null, "", location.pathname);
  },
};

/** A request to the control API. @throws {ApiError} for every answer other than a success. */
export async function send(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const secret = token.get();
  const response = await fetch(path, {
    method,
    signal,
    headers: {
      ...(secret !== null && { authorization: `Bearer ${secret}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new ApiError(response.status, await reason(response));
  return response;
}

/** The JSON of an answer. The emulator serves this page and its API from one build, so its form is not checked again. */
export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  return (await send(method, path, body)).json();
}

/** A path with a query; members that are `undefined` are left out. */
export function query(path: string, parameters: Record<string, string | number | undefined>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  );
  return `${path}?${new URLSearchParams(given)}`;
}

async function reason(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return String(JSON.parse(text).error);
  } catch {
    return text || `status ${response.status}`;
  }
}
