import { CallError } from "./call-error.js";
import { base } from "./session.js";

/**
 * Asks the console itself, beside the API: what it tells takes no scope.
 * @param path below the console.
 * @throws {CallError} when it is refused, or no answer comes.
 */
export async function consoleAnswer(method: string, path: string): Promise<string> {
  const { ok, status, text } = await fetched(method, path);
  if (!ok) throw new CallError(status, null);
  return text;
}

async function fetched(method: string, path: string) {
  try {
    const response = await fetch(`${base}/${path}`, { method, headers: { "x-loyalty-console": "1" } });
    return { ok: response.ok, status: response.status, text: await response.text() };
  } catch {
    throw new CallError(0, null);
  }
}
