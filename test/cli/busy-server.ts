import { createServer } from "node:http";
import { listen } from "../../adapters/apps/cli/server/listen.js";

/** Listens on a free port, sends the port to its parent process, and then blocks, so it accepts no connections. */
const { port } = await listen(createServer(), { host: "127.0.0.1", port: 0 });
process.send?.(port, () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
