import { StreamedList } from "../base/list-promise.js";
import { describeFailure, type Span, type SpanFailure, type Tracer } from "../base/tracing.js";

/**
 * Wraps each of a resource's calls in a span with a name such as `loyalty.stamps.add`.
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
        const beginSpan = () =>
          tracer.begin({ name: `loyalty.${resource}.${name}`, kind: "internal", attributes });
        return callInSpan(beginSpan, () => Reflect.apply(member, target, input));
      };
    },
  });
}

/** Runs a call; its span ends when the result is available, or when the list has been read. Each later reading has its own span. */
function callInSpan(begin: () => Span, call: () => unknown): unknown {
  const span = begin();
  try {
    const callResult = span.run(call);
    if (callResult instanceof Promise) {
      const result = tracePromise(callResult, span);
      return isList(callResult)
        ? Object.assign(result, { [Symbol.asyncIterator]: () => getIterator(callResult) })
        : result;
    }
    if (callResult instanceof StreamedList) {
      const openSpans = [span];
      return new StreamedList(() => iterateInSpan(callResult, openSpans.pop() ?? begin()));
    }
    if (isList(callResult)) return iterateInSpan(callResult, span);
    span.end(null);
    return callResult;
  } catch (error) {
    span.end(describeFailure(error));
    throw error;
  }
}

async function tracePromise(result: Promise<unknown>, span: Span): Promise<unknown> {
  let failure: SpanFailure | null = null;
  try {
    return await result;
  } catch (error) {
    failure = describeFailure(error);
    throw error;
  } finally {
    span.end(failure);
  }
}

async function* iterateInSpan(
  list: AsyncIterable<unknown>,
  span: Span,
): AsyncGenerator<unknown, void, undefined> {
  const iterator = list[Symbol.asyncIterator]();
  let failure: SpanFailure | null = null;
  try {
    for (;;) {
      const item = await span.run(() => iterator.next());
      if (item.done) return;
      yield item.value;
    }
  } catch (error) {
    failure = describeFailure(error);
    throw error;
  } finally {
    await iterator.return?.();
    span.end(failure);
  }
}

/** Returns an iterator over a list that is also a promise; the promise's span ends with its first page. */
function getIterator(list: AsyncIterable<unknown>): AsyncIterator<unknown> {
  return list[Symbol.asyncIterator]();
}

function isList(result: unknown): result is AsyncIterable<unknown> {
  return typeof result === "object" && result !== null && Symbol.asyncIterator in result;
}
