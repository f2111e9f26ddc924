import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { findFreePort } from "../kit/free-port.js";

/** The service in its own process, as the command line serves it. */
export interface Service {
  readonly url: string;
  /** Returns its memory in MiB; `null` if the system doesn't report it. */
  readMemory(): number | null;
  /** Returns its heap after garbage collection, and what that refers to, in MiB. */
  readHeap(): Promise<number>;
  close(): Promise<void>;
}

const program = join(import.meta.dirname, "../../dist/cli.js");

/** Makes a process report the memory that it can't release. The channel doesn't keep it from ending. */
const telling = `data:text/javascript,${encodeURIComponent(`
  process.on("message", () => {
    gc();
    const { heapUsed, external } = process.memoryUsage();
    process.send(heapUsed + external);
  });
  process.channel.unref();
`)}`;

/** @param flags further flags of the command line. */
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
      // The base of the existing codes.
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
      // Without time to record what it is sending, the service would send that again only a minute later.
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
