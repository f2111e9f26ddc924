import { connect, createServer, type Socket } from "node:net";

/** Relays data between a client and a server, and can drop it. */
export interface Relay {
  /** The server's URL, by way of the relay. */
  readonly url: string;
  /** Silently drops all data, also of new connections. */
  drop(): void;
  /** Passes on the data of new connections again. */
  passAgain(): void;
  close(): void;
}

export async function startRelay(url: string): Promise<Relay> {
  const to = new URL(url);
  const sockets = new Set<Socket>();
  let drops = false;
  const server = createServer((client) => {
    const beyond = connect(Number(to.port), to.hostname);
    const isLost = () => drops || lostSockets.has(client);
    for (const [from, into] of [
      [client, beyond],
      [beyond, client],
    ] as const) {
      sockets.add(from);
      from.on("data", (bytes) => {
        if (isLost()) lostSockets.add(client);
        else into.write(bytes);
      });
      from.on("error", () => into.destroy());
      from.on("close", () => {
        sockets.delete(from);
        if (!isLost()) into.destroy();
      });
    }
  });
  const lostSockets = new WeakSet<Socket>();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the relay does not listen");
  const through = Object.assign(new URL(url), { hostname: "127.0.0.1", port: String(address.port) });
  return {
    url: through.href,
    drop() {
      drops = true;
    },
    passAgain() {
      drops = false;
    },
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
