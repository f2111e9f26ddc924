import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";

/** Receives webhooks: at `/quiet` it records their delays, at `/abyss` it never responds. */
export interface Receiver {
  readonly url: string;
  /** Returns the delays of the quiet organization's events since the last call, in milliseconds from their creation. */
  takeDelays(): number[];
  /** Ignores earlier events, which a stopped service may have left behind, and hangs at `/abyss` again. */
  startOver(): void;
  /** Closes the connections that wait at `/abyss`, so that a closing service needn't wait for its deliveries there. */
  hangUp(): void;
  close(): void;
}

export async function startReceiver(): Promise<Receiver> {
  let delays: number[] = [];
  let startCount = 0;
  let hangs = true;
  const hanging = new Set<Socket>();
  const server: Server = createServer((request, response) => {
    if (request.url?.startsWith("/abyss")) {
      const { socket } = request;
      if (hangs) hanging.add(socket.once("close", () => hanging.delete(socket)));
      else socket.destroy();
      return;
    }
    let text = "";
    request.setEncoding("utf8").on("data", (chunk: string) => {
      text += chunk;
    });
    request.on("end", () => {
      response.end();
      if (request.url !== "/quiet") return;
      const { timestamp } = JSON.parse(text) as { timestamp: string };
      const happened = Date.parse(timestamp);
      if (happened >= startCount) delays.push(Date.now() - happened);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the receiver does not listen");
  return {
    url: `http://127.0.0.1:${address.port}`,
    takeDelays() {
      const takenDelays = delays;
      delays = [];
      return takenDelays;
    },
    startOver() {
      startCount = Date.now();
      delays = [];
      hangs = true;
    },
    hangUp() {
      hangs = false;
      for (const socket of hanging) socket.destroy();
    },
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
