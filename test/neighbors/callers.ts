import type { HostileOrganization } from "./scene.js";

/** What an attack targets, and what it has for that. */
export interface Target {
  readonly url: string;
  readonly hostile: HostileOrganization;
}

/** Attacks until its process is ended. */
export type Attack = (target: Target) => void;

/** Calls the API with a token of the hostile organization; callers take turns with its tokens. */
export interface Caller {
  get(path: string, signal?: AbortSignal): Promise<void>;
  post(path: string, body: unknown, key?: string): Promise<void>;
  patch(path: string, body: unknown): Promise<void>;
}

/** Runs this many workers at the same time, each again as soon as it is done. */
export function runRepeatedly(
  workers: number,
  target: Target,
  work: (caller: Caller, at: number) => Promise<void>,
): void {
  let at = 0;
  for (let worker = 0; worker < workers; worker += 1) {
    runForever(() => {
      at += 1;
      return work(createCaller(target, at), at);
    });
  }
}

/** Repeats the work forever. Ignores refused calls, because earlier calls of the attack provoke them. */
export function runForever(work: () => Promise<void>): void {
  void work()
    .catch(() => undefined)
    .then(() => new Promise((resolve) => setTimeout(resolve, 1)))
    .then(() => runForever(work));
}

export function createCaller({ url, hostile }: Target, at: number): Caller {
  const authorization = `Bearer ${hostile.tokens[at % hostile.tokens.length]}`;
  const send = async (path: string, init: RequestInit) => {
    const answer = await fetch(url + path, init);
    await answer.arrayBuffer();
  };
  const json = { authorization, "content-type": "application/json" };
  return {
    get: (path, signal) => send(path, { headers: { authorization }, ...(signal && { signal }) }),
    post: (path, body, key) =>
      send(path, {
        method: "POST",
        headers: { ...json, ...(key && { "idempotency-key": key }) },
        body: JSON.stringify(body),
      }),
    patch: (path, body) => send(path, { method: "PATCH", headers: json, body: JSON.stringify(body) }),
  };
}
