import type { Person, PersonSession } from "../../../../src/resources/person.js";
import { CallError } from "../api/call-error.js";
import { base } from "../api/session.js";

/** The person who signed in, and where they are signed in. */
interface Own {
  readonly person: Person;
  readonly sessions: readonly (PersonSession & { readonly isCurrent: boolean })[];
}

/** What somebody who signed in with an email asks of the console about themselves. It takes no scope. */
export const own = {
  get: async (): Promise<Own> => JSON.parse(await answerTo("GET", "me")),
  endSession: async (id: string): Promise<void> => {
    await answerTo("DELETE", `me/sessions/${encodeURIComponent(id)}`);
  },
};

/** @throws {CallError} when it is refused, or no answer comes. */
async function answerTo(method: string, path: string): Promise<string> {
  const { ok, status, text } = await fetched(method, path);
  if (!ok) throw new CallError(status, null);
  return text;
}

async function fetched(method: string, path: string) {
  try {
    const response = await fetch(`${base}/people/${path}`, { method, headers: { "x-loyalty-console": "1" } });
    return { ok: response.ok, status: response.status, text: await response.text() };
  } catch {
    throw new CallError(0, null);
  }
}
