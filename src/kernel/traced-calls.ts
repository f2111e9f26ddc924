import { StreamedList } from "../base/list-promise.js";
import { describeFailure, type Span, type SpanFailure, type Tracer } from "../base/tracing.js";

/**
 * Wraps each call of a resource in a span with a name such as `loyalty.stamps.add`.
 * @param calls an object whose methods are the calls.
 * @returns an object with the same methods, wrapped.
 */
export function traceCalls<Calls extends object>(
  calls: Calls,
  resource: string,
  organizationId: string,
  tracer: Tracer,
): Calls {
  return new Proxy(calls, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== "function" || typeof name !== "string") return member;
      return (...input: unknown[]): unknown => {
        const attributes = { "loyalty.organization.id": organizationId };
        const begin = () =>
          tracer.begin({ name: `loyalty.${resource}.${name}`, kind: "internal", attributes });
        return ended(begin, () => Reflect.apply(member, target, input));
      };
    },
  });
}

/** Runs a call; its span ends when the result is available, or when the list has been read. Each later reading has its own span. */
function ended(begin: () => Span, call: () => unknown): unknown {
  const span = begin();
  try {
    const answer = span.run(call);
    if (answer instanceof Promise) {
      const result = tracePromise(answer, span);
      return isList(answer)
        ? Object.assign(result, { [Symbol.asyncIterator]: () => getIterator(answer) })
        : result;
    }
    if (answer instanceof StreamedList) {
      const unused = [span];
      return new StreamedList(() => read(answer, unused.pop() ?? begin()));
    }
    if (isList(answer)) return read(answer, span);
    span.end(null);
    return answer;
  } catch (error) {
    span.end(describeFailure(error));
    throw error;
  }
}

async function tracePromise(answer: Promise<unknown>, span: Span): Promise<unknown> {
  let failure: SpanFailure | null = null;
  try {
    return await answer;
  } catch (error) {
    failure = describeFailure(error);
    throw error;
  } finally {
    span.end(failure);
  }
}

async function* read(list: AsyncIterable<unknown>, span: Span): AsyncGenerator<unknown, void, undefined> {
  const items = list[Symbol.asyncIterator]();
  let failure: SpanFailure | null = null;
  try {
    for (;;) {
      const item = await span.run(() => items.next());
      if (item.done) return;
      yield item.value;
    }
  } catch (error) {
    failure = describeFailure(error);
    throw error;
  } finally {
    await items.return?.();
    span.end(failure);
  }
}

/** Returns an iterator over a list that is also a promise; the promise's span ends with its first page. */
function getIterator(list: AsyncIterable<unknown>): AsyncIterator<unknown> {
  return list[Symbol.asyncIterator]();
}

function isList(answer: unknown): answer is AsyncIterable<unknown> {
  return typeof answer === "object" && answer !== null && Symbol.asyncIterator in answer;
}
