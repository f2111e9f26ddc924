import type { Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";

/** The connections of an HTTP server and what each is answering, so that the server can end without cutting any off. */
export class Connections {
  private readonly answers = new Map<Socket, Set<ServerResponse>>();
  private draining = false;

  constructor(private readonly server: Server) {
    server.on("connection", (socket: Socket) => {
      this.answers.set(socket, new Set());
      socket.once("close", () => this.answers.delete(socket));
    });
    server.prependListener("request", ({ socket }, response) => this.began(socket, response));
  }

  /**
   * Stops accepting, closes idle connections at once and each other one when its answer is sent. Resolves when
   * the last is closed.
   */
  drain(): Promise<void> {
    this.draining = true;
    return new Promise((resolve) => {
      // The close() of http.Server also destroys connections whose answer is written but not yet sent: a slow
      // reader would get half of it.
      NetServer.prototype.close.call(this.server, () => resolve());
      for (const [socket, answers] of this.answers) {
        const last = [...answers].at(-1);
        if (last === undefined) socket.destroySoon();
        else announceClose(last);
      }
    });
  }

  private began(socket: Socket, response: ServerResponse): void {
    const answers = this.answers.get(socket);
    if (answers === undefined) return;
    answers.add(response);
    if (this.draining) announceClose(response);
    response.once("close", () => {
      answers.delete(response);
      if (this.draining && answers.size === 0) socket.destroySoon();
    });
  }
}

/** Tells the client, where that is still possible, to send nothing more on this connection. */
function announceClose(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader("Connection", "close");
}
