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

/** A request to the control API. @throws {Error} for every answer other than a success, with its status as the cause. */
export async function send(method: string, path: string, body?: unknown): Promise<Response> {
  const secret = token.get();
  const response = await fetch(path, {
    method,
    headers: {
      ...(secret !== null && { authorization: `Bearer ${secret}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!response.ok) throw new Error(await reason(response), { cause: response.status });
  return response;
}

/** The JSON of an answer. The emulator serves this page and its API from one build, so its form is not checked again. */
export async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  return (await send(method, path, body)).json();
}

/** A path with a query; members that are empty or `undefined` are left out. */
export function query(path: string, parameters: Record<string, string | number | undefined>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== "");
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given as string[][])}`;
}

async function reason(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return String(JSON.parse(text).error);
  } catch {
    return text || `status ${response.status}`;
  }
}
