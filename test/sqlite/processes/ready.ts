import { once } from "node:events";

/**
 * Prints "ready" and waits until the parent closes the input, so that several processes start at the same
 * time.
 */
export async function waitForStart(): Promise<void> {
  process.stdout.write("ready\n");
  process.stdin.resume();
  await once(process.stdin, "end");
}
