import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below the ports that systems assign automatically, so that no other server gets one of these by chance. */
const [FIRST, END] = [15_000, 32_000];

/**
 * Finds a port of this machine that no server listens on, for a server that can't choose one itself or reuses it later.
 */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, "127.0.0.1", () => probe.close(() => resolve(true)));
  });
}
