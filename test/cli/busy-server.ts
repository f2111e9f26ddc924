import { createServer } from "node:http";
import { listen } from "../../adapters/apps/cli/server/listen.js";

/** A server that prints its port and then accepts no more connections. */
const { port } = await listen(createServer(), { host: "127.0.0.1", port: 0 });
process.send?.(port, () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
