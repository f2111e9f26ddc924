import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { bundleProgram } from "../../kit/bundled-program.js";

/** A process that runs one of the programs in this folder. */
export class Child {
  #output = "";
  #complaints = "";

  private constructor(private readonly process: ChildProcess) {
    process.stdout?.setEncoding("utf8").on("data", (text: string) => {
      this.#output += text;
    });
    process.stderr?.setEncoding("utf8").on("data", (text: string) => {
      this.#complaints += text;
    });
  }

  /** Starts the program, and waits until it prints "ready". It is killed after the test at the latest. */
  static async start(
    program: "open" | "migrate" | "write" | "die" | "revoke",
    ...words: string[]
  ): Promise<Child> {
    const path = bundleProgram(fileURLToPath(new URL(`${program}.ts`, import.meta.url)));
    const child = new Child(spawn(process.execPath, [path, ...words]));
    onTestFinished(() => {
      child.process.kill("SIGKILL");
    });
    while (!child.#output.includes("ready")) {
      if (child.process.exitCode !== null) throw new Error(child.#complaints);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return child;
  }

  /** Lets it continue after "ready". */
  start(): void {
    this.process.stdin?.end("go");
  }

  kill(): void {
    this.process.kill("SIGKILL");
  }

  /** Waits until it ends. @returns its output after "ready". @throws its error output if it failed. */
  async end(): Promise<string> {
    if (this.process.exitCode === null && this.process.signalCode === null) await once(this.process, "close");
    if (this.process.exitCode !== 0 && this.process.signalCode === null) throw new Error(this.#complaints);
    return this.#output.replace("ready", "").trim();
  }
}
