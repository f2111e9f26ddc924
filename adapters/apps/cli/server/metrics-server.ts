import { createServer } from "node:http";
import type { Metrics } from "../../../observability/index.js";
import { type Address, listen } from "./listen.js";

/** How long collected metrics are reused for further requests, and how long a request may take to arrive, in milliseconds. */
const METRICS_CACHE_MS = 500;
const REQUEST_TIMEOUT_MS = 10_000;

/** Maximum number of connections, because few clients read metrics. */
const MAX_CONNECTIONS = 50;

/**
 * Serves `/metrics` on a separate port, which should not be publicly accessible.
 * @throws {CommandError} under the same conditions as {@link listen}.
 */
export async function serveMetrics(
  metrics: Metrics,
  listenAddress: Address,
  onError: (error: unknown) => void,
): Promise<{ readonly address: Address; close(): Promise<void> }> {
  let text: Promise<string> | null = null;
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, ({ method, url }, response) => {
    const path = url?.split("?", 1)[0];
    if (path !== "/metrics" || (method !== "GET" && method !== "HEAD")) {
      response.writeHead(404).end();
      return;
    }
    text ??= metrics.text().finally(() => {
      // The metrics are reused for a while because collecting them takes milliseconds.
      setTimeout(() => {
        text = null;
      }, METRICS_CACHE_MS).unref();
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
  const address = await listen(server, listenAddress);
  return {
    address,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
