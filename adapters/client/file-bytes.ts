import { ConnectionError } from "./connection-error.js";
import type { Timeout } from "./timeout.js";

/**
 * The bytes of a file, as they come. They are read no faster than they are asked for.
 * @throws {ConnectionError} if it breaks off.
 * @throws the reason of the caller's signal, once that is aborted.
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
