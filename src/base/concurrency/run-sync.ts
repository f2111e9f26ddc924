import { runWithoutYielding } from "./event-loop.js";
import type { Step } from "./step.js";

/**
 * Runs a step that never has to wait.
 * @returns the step's result.
 * @throws whatever the step throws.
 * @throws {TypeError} if the step would have to wait, in which case it is stopped.
 */
export function runSync<T>(step: Step<T>): T {
  return runWithoutYielding(() => {
    const firstResult = step.next();
    if (firstResult.done) return firstResult.value;
    const error = new TypeError("this would have to wait, which a synchronous transaction can't");
    // Lets the step undo its work. If it continues instead, it is abandoned.
    step.throw(error);
    throw error;
  });
}
