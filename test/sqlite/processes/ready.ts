import { once } from "node:events";

/** Says "ready" and waits for a word of the parent, so that several processes begin at once. */
export async function waitForStart(): Promise<void> {
  process.stdout.write("ready\n");
  process.stdin.resume();
  await once(process.stdin, "end");
}
