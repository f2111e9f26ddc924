import type { Server } from "node:http";
import type { Socket } from "node:net";
import { toNetwork } from "./rate-limits/client-network.js";

/**
 * Called when a new connection is closed because a limit has been reached.
 * @param network the IPv4 address or IPv6 /64 network that has too many connections, or `null` if there are too many overall.
 */
export type CapListener = (network: string | null) => void;

export interface ConnectionLimits {
  /** Maximum number of connections across all clients. */
  readonly all: number;
  /**
   * Maximum number of connections per IPv4 address or IPv6 /64 network. A /64 counts as one address because it typically belongs to
   * a single owner.
   */
  readonly perAddress: number;
  /**
   * Returns whether an address belongs to a proxy. `perAddress` doesn't apply to proxies because their connections come from many
   * clients.
   */
  readonly isProxy: (address: string) => boolean;
  readonly onRefused?: CapListener;
}

/** Closes connections that exceed a limit as soon as they are accepted. The per-address limit doesn't apply to proxies. */
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
      const remaining = (open.get(network) ?? 1) - 1;
      if (remaining > 0) open.set(network, remaining);
      else open.delete(network);
    });
  });
}
