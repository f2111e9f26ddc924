import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addCleanup } from "../kit/afterwards.js";

/** The built command line. */
export const program = join(import.meta.dirname, "../../dist/cli.js");
if (!existsSync(program)) throw new Error("these tests run the built command line: npm run build");

/** How a command ended, and all that it wrote. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs. */
export interface Running {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What it has written to its standard output so far. */
  output(): string;
  /** The first match in what it writes to its standard output. Rejects when it ends without one. */
  written(pattern: RegExp): Promise<RegExpExecArray>;
}

type Environment = Readonly<Record<string, string>>;

/** An empty folder that goes with the tests. */
export function emptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-cli-"));
  addCleanup(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs `loyalty-kit` to its end, in this folder. */
export function loyaltyKit(
  args: readonly string[],
  environment: Environment = {},
  folder = tmpdir(),
): Promise<Ended> {
  return start([program, ...args], environment, folder).ended;
}

/** A server on a free port, ended with the tests. */
export async function serve(args: readonly string[], environment: Environment = {}) {
  const running = start([program, "serve", "--port", "0", ...args], environment);
  const [, url = ""] = await running.written(/is listening on (\S+)\n/);
  return { ...running, url };
}

/** Starts Node.js; the process goes with the tests, and never lives longer than two minutes. */
export function start(args: readonly string[], environment: Environment = {}, folder = tmpdir()): Running {
  const child = spawn(process.execPath, args, {
    cwd: folder,
    env: { ...cleanEnvironment(), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: 120_000,
    killSignal: "SIGKILL",
  });
  addCleanup(() => child.kill("SIGKILL"));
  const text = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text.stdout += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    text.stderr += chunk;
  });
  const ended = once(child, "close").then(([code]): Ended => ({ code, ...text }));
  return {
    process: child,
    ended,
    output: () => text.stdout,
    async written(pattern) {
      for (;;) {
        const match = pattern.exec(text.stdout);
        if (match !== null) return match;
        const over = await Promise.race([ended, once(child.stdout, "data").then(() => null)]);
        if (over !== null && !pattern.test(text.stdout)) {
          throw new Error(`ended with ${over.code} before it wrote ${pattern}: ${over.stderr}`);
        }
      }
    },
  };
}

/** Without what the developer has set for real servers. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(LOYALTY_|NODE_OPTIONS$)/.test(name)),
  );
}
