import type { Server } from "node:http";
import type { Socket } from "node:net";

export interface ConnectionCaps {
  /** Of all clients together. */
  readonly all: number;
  /** Of one address; `null` where that is a proxy's, which has those of all its clients. */
  readonly perAddress: number | null;
}

/** Closes connections beyond the caps as soon as they are made. */
export function capConnections(server: Server, { all, perAddress }: ConnectionCaps): void {
  server.maxConnections = all;
  if (perAddress === null) return;
  const open = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const { remoteAddress = "" } = socket;
    const count = (open.get(remoteAddress) ?? 0) + 1;
    if (count > perAddress) {
      socket.destroy();
      return;
    }
    open.set(remoteAddress, count);
    socket.once("close", () => {
      const left = (open.get(remoteAddress) ?? 1) - 1;
      if (left > 0) open.set(remoteAddress, left);
      else open.delete(remoteAddress);
    });
  });
}
