import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/** Below those that systems give to whoever asks for any port, so that nobody gets one of these by chance. */
const [FIRST, END] = [15_000, 32_000];

/** A port of this machine that nobody listens on, for a server that takes none by itself, or comes back to it later. */
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
