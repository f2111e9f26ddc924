import { runWithoutYielding } from "./event-loop.js";
import type { Step } from "./step.js";

/**
 * Runs a step that need not wait.
 * @throws what the step throws.
 * @throws {TypeError} if it would have to wait; it is ended there.
 */
export function runSync<T>(step: Step<T>): T {
  return runWithoutYielding(() => {
    const begun = step.next();
    if (begun.done) return begun.value;
    const error = new TypeError("this would have to wait, which a synchronous transaction can't");
    // It may undo what it has done. If it goes on in place of that, it is left where it is.
    step.throw(error);
    throw error;
  });
}
