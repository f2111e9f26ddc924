import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "../kit/free-port.js";

/** The service in a process of its own, as the command line serves it. */
export interface Service {
  readonly url: string;
  /** What it holds in memory, in MiB; `null` where the system does not tell. */
  readMemory(): number | null;
  /** What it can't let go of, in MiB: its heap after the garbage was collected, and what that refers to. */
  readHeap(): Promise<number>;
  close(): Promise<void>;
}

const program = join(import.meta.dirname, "../../dist/cli.js");

/** Has a process tell what it can't let go of. The channel does not keep it from ending. */
const telling = `data:text/javascript,${encodeURIComponent(`
  process.on("message", () => {
    gc();
    const { heapUsed, external } = process.memoryUsage();
    process.send(heapUsed + external);
  });
  process.channel.unref();
`)}`;

/** @param flags what else the command line is told. */
export async function startService(database: string, flags: readonly string[]): Promise<Service> {
  const port = await findFreePort();
  const url = `http://localhost:${port}`;
  const child = spawn(
    process.execPath,
    [
      "--expose-gc",
      "--import",
      telling,
      program,
      "serve",
      "--database",
      database,
      "--port",
      String(port),
      "--oauth-issuer",
      url,
      "--webhooks-allow-loopback",
      // That of the codes which are there already.
      "--short-link-base",
      "https://pass.invalid",
      ...flags,
    ],
    { stdio: ["ignore", "pipe", "inherit", "ipc"] },
  );
  const exit = once(child, "exit");
  const starts = await Promise.race([once(child.stdout ?? child, "data"), exit.then(() => null)]);
  if (starts === null) throw new Error("the service does not start; npm run build:js makes it");
  child.stdout?.resume();
  return {
    url: `http://127.0.0.1:${port}`,
    readMemory: () => readProcessMemory(child.pid),
    async readHeap() {
      child.send("kept");
      const [bytes] = await once(child, "message");
      return Math.round(Number(bytes) / 1_048_576);
    },
    async close() {
      // What it is sending would be sent again only a minute later, had it no time to say so.
      child.kill("SIGTERM");
      await exit;
    },
  };
}

function readProcessMemory(pid: number | undefined): number | null {
  try {
    const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    return kilobytes === undefined ? null : Math.round(Number(kilobytes) / 1_024);
  } catch {
    return null;
  }
}
