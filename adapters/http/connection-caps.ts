import type { Server } from "node:http";
import type { Socket } from "node:net";
import { toNetwork } from "./rate-limits/client-network.js";

/**
 * Called when a connection was closed because there were too many.
 * @param network the IPv4 address or IPv6 /64 network with too many connections; `null` if all clients together have too many.
 */
export type CapListener = (network: string | null) => void;

export interface ConnectionLimits {
  /** Maximum number of connections of all clients together. */
  readonly all: number;
  /** Maximum number of connections per IPv4 address, or per IPv6 /64 network, because one owner has all its addresses. */
  readonly perAddress: number;
  /** Returns whether an address belongs to a proxy, which holds the connections of all its clients. */
  readonly isProxy: (address: string) => boolean;
  readonly onRefused?: CapListener;
}

/** Closes connections over the caps immediately. Connections from proxies have no cap per address. */
export function limitConnections(
  server: Server,
  { all, perAddress, isProxy, onRefused = () => {} }: ConnectionLimits,
): void {
  server.maxConnections = all;
  server.on("drop", () => onRefused(null));
  const open = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const { remoteAddress = "" } = socket;
    if (isProxy(remoteAddress)) return;
    const network = toNetwork(remoteAddress) ?? remoteAddress;
    const count = (open.get(network) ?? 0) + 1;
    if (count > perAddress) {
      socket.destroy();
      onRefused(network);
      return;
    }
    open.set(network, count);
    socket.once("close", () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left > 0) open.set(network, left);
      else open.delete(network);
    });
  });
}
