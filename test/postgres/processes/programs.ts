import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { bundleProgram } from "../../kit/bundled-program.js";

/**
 * Runs workers in processes of their own, which begin at the same moment.
 * @param words the arguments of each.
 * @returns what each worker said at its end.
 * @throws what one complained of, when it did not end well. None is left running.
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

  /** Lets it go on, and waits for its end. */
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
