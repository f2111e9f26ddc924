import { createServer, type Server } from "node:http";
import type { Metrics } from "../../metrics/index.js";
import { type Address, listen } from "./listen.js";

/** A server of metrics alone, that is listening. */
export interface MetricsServer {
  readonly address: Address;
  close(): Promise<void>;
}

/** For how long what was gathered is told again, and how long a request may take to come, in milliseconds. */
const FRESH_MS = 500;
const REQUEST_MS = 10_000;

/** Whoever reads metrics is one, or a few. */
const MAX_CONNECTIONS = 50;

/** @throws {CommandError} as {@link listen}. */
export async function serveMetrics(
  metrics: Metrics,
  place: Address,
  onError: (error: unknown) => void,
): Promise<MetricsServer> {
  let text: Promise<string> | null = null;
  const server: Server = createServer({ requestTimeout: REQUEST_MS }, ({ method, url }, response) => {
    const path = url?.split("?", 1)[0];
    if (path !== "/metrics" || (method !== "GET" && method !== "HEAD")) {
      response.writeHead(404).end();
      return;
    }
    text ??= metrics.text().finally(() => {
      // Whoever asks again at once gets the same: to gather them takes milliseconds.
      setTimeout(() => {
        text = null;
      }, FRESH_MS).unref();
    });
    text.then(
      (text) => response.writeHead(200, { "content-type": metrics.contentType }).end(text),
      (error: unknown) => {
        onError(error);
        response.writeHead(500).end();
      },
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  const address = await listen(server, place);
  return {
    address,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
