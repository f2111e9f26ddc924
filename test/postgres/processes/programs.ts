import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { bundleProgram } from "../../kit/bundled-program.js";

/**
 * Runs workers in their own processes, which begin at the same time.
 * @param words the arguments of each worker.
 * @returns the final output of each worker.
 * @throws the error output of a worker that failed. No worker is left running.
 */
export async function runConcurrently<Answer>(words: readonly string[][]): Promise<Answer[]> {
  const workers = words.map((each) => new Worker<Answer>(each));
  try {
    await Promise.all(workers.map((worker) => worker.waitUntilReady()));
    return await Promise.all(workers.map((worker) => worker.readAnswer()));
  } finally {
    for (const worker of workers) worker.stop();
  }
}

class Worker<Answer> {
  readonly #process;
  readonly #ended;
  readonly #lines;
  #complaints = "";

  constructor(words: readonly string[]) {
    const program = bundleProgram(join(import.meta.dirname, "worker.ts"));
    this.#process = spawn(process.execPath, [program, ...words]);
    this.#ended = once(this.#process, "close");
    this.#lines = createInterface(this.#process.stdout)[Symbol.asyncIterator]();
    this.#process.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#complaints += text;
    });
  }

  async waitUntilReady(): Promise<void> {
    await this.#readLine();
  }

  /** Starts the work, and waits until the worker ends. */
  async readAnswer(): Promise<Answer> {
    this.#process.stdin.end("go");
    const answer: Answer = JSON.parse(await this.#readLine());
    await this.#ended;
    if (this.#process.exitCode !== 0 || this.#complaints !== "") throw new Error(this.#complaints);
    return answer;
  }

  stop(): void {
    this.#process.kill("SIGKILL");
  }

  async #readLine(): Promise<string> {
    const { value, done } = await this.#lines.next();
    if (!done) return value;
    await this.#ended;
    throw new Error(`a worker ended too early: ${this.#complaints}`);
  }
}
