import { parseErrorBody } from "../../../../http/client/error-response.js";
import { CallError } from "./call-error.js";
import { base } from "./session.js";

/**
 * Sends a request to one of the console's own endpoints. These endpoints aren't part of the API and require no scope.
 * @param path the path relative to the console.
 * @param body the value to send as JSON. If omitted, the request has no body.
 * @returns the response body.
 * @throws {CallError} if the server rejects the request or doesn't respond.
 */
export async function requestConsole(method: string, path: string, body?: unknown): Promise<string> {
  const { ok, status, text } = await sendRequest(method, path, body);
  if (!ok) throw new CallError(status, parseErrorBody(text));
  return text;
}

async function sendRequest(method: string, path: string, body: unknown) {
  const headers = {
    "x-loyalty-console": "1",
    ...(body !== undefined && { "content-type": "application/json" }),
  };
  try {
    const requestBody = body === undefined ? null : JSON.stringify(body);
    const response = await fetch(`${base}/${path}`, { method, headers, body: requestBody });
    return { ok: response.ok, status: response.status, text: await response.text() };
  } catch {
    throw new CallError(0, null);
  }
}
