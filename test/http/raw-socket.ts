import { connect } from "node:net";

/**
 * Sends bytes to a server as they are.
 * @returns all that the server sent until it closed the connection, including data before a reset.
 */
export function exchangeBytes(port: number, ...bytes: (string | Uint8Array)[]): Promise<string> {
  return sendBytes(port, bytes, false);
}

/** Like {@link exchangeBytes}, but ends the client's side of the connection after the bytes. */
export function sendAndEnd(port: number, ...bytes: (string | Uint8Array)[]): Promise<string> {
  return sendBytes(port, bytes, true);
}

function sendBytes(port: number, bytes: readonly (string | Uint8Array)[], ends: boolean): Promise<string> {
  return new Promise((resolve) => {
    const receivedChunks: Buffer[] = [];
    const socket = connect(port, "127.0.0.1", () => {
      for (const part of bytes) socket.write(part);
      if (ends) socket.end();
    });
    socket.on("data", (chunk) => receivedChunks.push(chunk));
    socket.on("error", () => {});
    socket.on("close", () => resolve(Buffer.concat(receivedChunks).toString("utf8")));
  });
}

export interface RawRequest {
  readonly method?: string;
  readonly path: string;
  /** Lines of the head, in order, after `Host` and `Connection: close`. */
  readonly headers?: readonly string[];
}

/** Builds the head of a request, after which the server closes the connection. */
export function buildHead({ method = "GET", path, headers = [] }: RawRequest): string {
  const lines = [`${method} ${path} HTTP/1.1`, "Host: api.example", "Connection: close", ...headers];
  return `${lines.join("\r\n")}\r\n\r\n`;
}

/** Parses a raw response whose body is not chunked. */
export function parseResponse(rawResponse: string): { status: number; head: string; body: unknown } {
  const [first = "", body = ""] = rawResponse.split("\r\n\r\n");
  return {
    status: Number(first.split(" ")[1]),
    head: first,
    body: body === "" ? undefined : JSON.parse(body),
  };
}
