import { fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { bundleProgram } from "../kit/bundled-program.js";

/** More connections than Node's default backlog holds. */
const CONNECTIONS = 700;

it("a server drops none of hundreds of clients that connect while it is busy", async () => {
  const server = fork(bundleProgram(join(import.meta.dirname, "busy-server.ts")), { execArgv: [] });
  onTestFinished(() => void server.kill("SIGKILL"));
  const [port] = await once(server, "message");
  let connectionCount = 0;
  for (let at = 0; at < CONNECTIONS; at += 1) {
    const socket = connect(Number(port), "127.0.0.1", () => {
      connectionCount += 1;
    });
    socket.on("error", () => {});
    onTestFinished(() => void socket.destroy());
  }
  await expect.poll(() => connectionCount, { timeout: 10_000 }).toBe(CONNECTIONS);
});
