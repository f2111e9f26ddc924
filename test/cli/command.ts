import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addCleanup } from "../kit/cleanup.js";

/** Path of the built command line. */
export const program = join(import.meta.dirname, "../../dist/cli.js");
if (!existsSync(program)) throw new Error("these tests run the built command line: npm run build");

/** Exit code and output of a command. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running command. */
export interface RunningProgram {
  readonly process: ChildProcess;
  readonly exit: Promise<CommandResult>;
  /** The output so far. */
  output(): string;
  /** Resolves to the first match in the output. Rejects if the command ends without one. */
  waitForOutput(pattern: RegExp): Promise<RegExpExecArray>;
}

type Environment = Readonly<Record<string, string>>;

/** Creates an empty folder, which is removed after the tests. */
export function createEmptyFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "loyalty-kit-cli-"));
  addCleanup(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs `loyalty-kit` in this folder, and resolves when it exits. */
export function runLoyaltyKit(
  args: readonly string[],
  environment: Environment = {},
  folder = tmpdir(),
): Promise<CommandResult> {
  return start([program, ...args], environment, folder).exit;
}

/** Starts a server on a free port, which is stopped after the tests. */
export async function startServer(args: readonly string[], environment: Environment = {}) {
  const server = start([program, "serve", "--port", "0", ...args], environment);
  const [, url = ""] = await server.waitForOutput(/is listening on (\S+)\n/);
  return { ...server, url };
}

/** Starts Node.js. The process is killed after the tests, and after two minutes at the latest. */
export function start(
  args: readonly string[],
  environment: Environment = {},
  folder = tmpdir(),
): RunningProgram {
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
  const exit = once(child, "close").then(([code]): CommandResult => ({ code, ...text }));
  return {
    process: child,
    exit,
    output: () => text.stdout,
    async waitForOutput(pattern) {
      for (;;) {
        const match = pattern.exec(text.stdout);
        if (match !== null) return match;
        const isEarlyEnd = await Promise.race([exit, once(child.stdout, "data").then(() => null)]);
        if (isEarlyEnd !== null && !pattern.test(text.stdout)) {
          throw new Error(`ended with ${isEarlyEnd.code} before it wrote ${pattern}: ${isEarlyEnd.stderr}`);
        }
      }
    },
  };
}

/** Returns the environment without the developer's settings for real servers. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(LOYALTY_|NODE_OPTIONS$)/.test(name)),
  );
}
