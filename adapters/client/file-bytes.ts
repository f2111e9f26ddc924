import { ConnectionError } from "./connection-error.js";
import type { Timeout } from "./timeout.js";

/**
 * Yields a file's bytes as they arrive, reading only as fast as the caller does.
 * @throws {ConnectionError} if the connection breaks.
 * @throws the caller's abort reason, if the caller aborted.
 */
export async function* fileBytes(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  timeout: Timeout,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const reader = body.getReader();
  try {
    for (;;) {
      timeout.wait();
      const { done, value } = await reader.read();
      timeout.stopWaiting();
      if (done) return;
      yield value;
    }
  } catch (cause) {
    timeout.throwIfEnded();
    throw new ConnectionError("The file broke off.", null, { cause });
  } finally {
    timeout.end();
    await reader.cancel().catch(() => {});
  }
}
