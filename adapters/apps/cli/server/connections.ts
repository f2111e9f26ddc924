import type { Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import type { CapListener, HttpRequest } from "../../../http/index.js";
import { getHeaderValue } from "../../../http/request/http-message.js";

/** Tracks an HTTP server's connections and pending responses so that the server can shut down without interrupting a response. */
export class HttpConnections {
  private readonly openResponses = new Map<Socket, Set<ServerResponse>>();
  private isDraining = false;

  constructor(private readonly server: Server) {
    server.on("connection", (socket: Socket) => {
      this.openResponses.set(socket, new Set());
      socket.once("close", () => this.openResponses.delete(socket));
    });
    server.prependListener("request", ({ socket }, response) => this.onRequest(socket, response));
  }

  /**
   * Stops accepting connections, closes idle connections immediately, and closes every other connection after its current response.
   * Resolves when all connections are closed.
   */
  drain(): Promise<void> {
    this.isDraining = true;
    return new Promise((resolve) => {
      // http.Server's close() also destroys connections whose response is written but not yet sent, so a slow reader would get only
      // part of it.
      NetServer.prototype.close.call(this.server, () => resolve());
      for (const [socket, responses] of this.openResponses) {
        const lastResponse = [...responses].at(-1);
        if (lastResponse === undefined) socket.destroySoon();
        else announceClose(lastResponse);
      }
    });
  }

  private onRequest(socket: Socket, response: ServerResponse): void {
    const responses = this.openResponses.get(socket);
    if (responses === undefined) return;
    responses.add(response);
    if (this.isDraining) announceClose(response);
    response.once("close", () => {
      responses.delete(response);
      if (this.isDraining && responses.size === 0) socket.destroySoon();
    });
  }
}

/** Asks the client to send nothing more on this connection, unless the headers have already been sent. */
function announceClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("Connection", "close");
}

/** Creates a listener that logs, for each refused connection, which connection limit was reached and which option changes it. */
export function createRefusalReporter(log: (line: string) => void, hasTrustedProxy: boolean): CapListener {
  return (network) => {
    if (network === null) {
      log("rejecting new connections because the --max-connections limit was reached");
      return;
    }
    const proxy = hasTrustedProxy ? "another proxy" : "a proxy";
    log(
      `rejecting new connections from ${network} because the --max-connections-per-address limit was reached; ` +
        `if this is ${proxy}, add it to --trusted-proxy`,
    );
  };
}

const forwardingHeaders = ["x-forwarded-for", "forwarded"];

/** Logs a warning on the first request that seems to have come through a proxy that isn't configured as trusted. */
export class UntrustedProxyWarning {
  private isLogged = false;

  constructor(private readonly log: (line: string) => void) {}

  checkRequest({ headers, address }: HttpRequest): void {
    if (this.isLogged || forwardingHeaders.every((name) => getHeaderValue(headers, name) === null)) return;
    this.isLogged = true;
    this.log(
      `loyalty-kit: request from ${address ?? "an unknown address"} has an X-Forwarded-For header; if this is your proxy, ` +
        "add it to --trusted-proxy, or all its clients will share one rate limit",
    );
  }
}
