import { showToast } from "../components/toasts.js";

/** Loads the steps when they are needed, because their code would make each screen larger that saves one. */
const findNextStep = async () => (await import("./first-steps.js")).findNextStep();

/**
 * Shows a toast that reports something saved. While a new shop's checklist isn't done, the toast leads to the next step.
 * @param undo a callback for the toast's undo button, or `null` for a toast without an undo button.
 */
export async function showStepToast(text: string, undo: (() => void) | null = null): Promise<void> {
  showToast(text, undo, await findNextStep().catch(() => null));
}
