import {
  addressWithoutPort,
  belowPrefix,
  type HttpBody,
  type HttpRequest,
  type HttpResponse,
  withoutOrigin,
} from "./request/http-message.js";

/** Maximum number of bytes that are drained from an unread body. */
const MAX_DRAINED_BYTES = 16_777_216;

/**
 * Creates a handler for web-standard requests.
 * @param prefix the path prefix to strip from request paths. Other paths are left unchanged.
 * @param addressOf a function that returns the client's address, or `null` if it is unknown.
 */
export function fetchHandler(
  handle: (request: HttpRequest) => Promise<HttpResponse>,
  prefix: string,
  addressOf: (request: Request) => string | null,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const [target = ""] = withoutOrigin(request.url).split("#", 1);
    const { method } = request;
    const body = readRequestBody(request);
    const address = addressOf(request);
    const isHttps = request.url.startsWith("https:");
    const answer = await handle({
      method,
      url: belowPrefix(target, prefix),
      headers: withHost(request),
      body,
      prefix,
      address: address === null ? null : addressWithoutPort(address),
      isHttps,
      signal: request.signal,
      source: request,
    });
    void drain(request);
    const { status } = answer;
    return new Response(toBodyInit(answer.body), { status, headers: answer.headers });
  };
}

/** Returns the headers including Host. A request created in this process has its host only in the URL. */
function withHost({ headers, url }: Request): HttpRequest["headers"] {
  return headers.has("host") ? headers : [...headers, ["host", new URL(url).host]];
}

function readRequestBody({ body, bodyUsed }: Request): HttpBody {
  if (bodyUsed) throw new TypeError("the host has read the body of the request; give the API a clone of it");
  // Canceling would make some servers close the connection before the response is read.
  return body === null
    ? { kind: "none" }
    : { kind: "bytes", chunks: { [Symbol.asyncIterator]: () => body.values({ preventCancel: true }) } };
}

/** Reads the rest of a body, up to a limit. Otherwise some servers close the connection, and the response is lost. */
async function drain({ body }: Request): Promise<void> {
  if (body === null) return;
  try {
    const reader = body.getReader();
    for (let left = MAX_DRAINED_BYTES; left > 0; ) {
      const { done, value } = await reader.read();
      if (done) return;
      left -= value.byteLength;
    }
    await reader.cancel();
  } catch {
    // The client disconnected; the rest of its body isn't needed.
  }
}

function toBodyInit(body: HttpResponse["body"]) {
  const isWhole = body === null || typeof body === "string" || body instanceof Uint8Array;
  return isWhole ? body : createStream(body);
}

function createStream(chunks: AsyncIterable<string | Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const step = await iterator.next();
        if (step.done) controller.close();
        else controller.enqueue(typeof step.value === "string" ? encoder.encode(step.value) : step.value);
      },
      async cancel() {
        await iterator.return?.();
      },
    },
    // Nothing is produced before it is read.
    { highWaterMark: 0 },
  );
}
