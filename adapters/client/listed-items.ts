import { ConnectionError } from "./connection-error.js";
import { ItemSplitter } from "./item-splitter.js";
import type { Patience } from "./patience.js";

/**
 * The items of a list, each as soon as it is there. It is read no faster than they are asked for.
 * @throws {ConnectionError} when it breaks off.
 * @throws the reason of the caller's signal, once that is aborted.
 */
export async function* listedItems(
  body: ReadableStream<Uint8Array>,
  patience: Patience,
): AsyncGenerator<unknown, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const splitter = new ItemSplitter();
  try {
    for (let isDone = false; !isDone; ) {
      patience.wait();
      const { done, value } = await reader.read();
      patience.rest();
      isDone = done;
      for (const item of splitter.push(done ? decoder.decode() : decoder.decode(value, { stream: true }))) {
        yield JSON.parse(item);
      }
    }
    if (!splitter.isWhole) throw new SyntaxError("It has no end.");
  } catch (cause) {
    patience.throwIfEnded();
    throw new ConnectionError("The list broke off.", null, { cause });
  } finally {
    patience.end();
    await reader.cancel().catch(() => {});
  }
}
