import { useEffect, useState } from "preact/hooks";
import { parts as words } from "../words/en/parts.js";
import { Button } from "./button.js";
import { errorMessage } from "./error-message.js";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isBad: boolean;
  readonly undo: (() => void) | null;
}

const SHOWN_MS = 8_000;

let show: (toast: Toast) => void = () => {};
let last = 0;

/**
 * Shows a toast that reports a completed action.
 * @param undo a callback for the toast's undo button, or `null` for a toast without an undo button.
 */
export function showToast(text: string, undo: (() => void) | null = null): void {
  last += 1;
  show({ id: last, text, isBad: false, undo });
}

/** Shows an error's message as a toast. */
export function showError(error: unknown): void {
  last += 1;
  show({ id: last, text: errorMessage(error), isBad: true, undo: null });
}

/** Runs a task and shows a toast if it fails. Resolves to `true` if the task succeeded, or to `false` if it failed. */
export async function runWithToast(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    showError(error);
    return false;
  }
}

/** The container for toasts. Render it once per page. */
export function Toasts() {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  useEffect(() => {
    show = (toast) => {
      setToasts((before) => [...before.slice(-2), toast]);
      setTimeout(() => setToasts((before) => before.filter(({ id }) => id !== toast.id)), SHOWN_MS);
    };
  }, []);
  const hide = (id: number) => setToasts((before) => before.filter((toast) => toast.id !== id));
  return (
    <div class="toasts" role="status">
      {toasts.map(({ id, text, isBad, undo }) => (
        <div key={id} class={`toast ${isBad ? "bad" : ""}`}>
          <span>{text}</span>
          {undo !== null && (
            <Button
              text={words.undo}
              onClick={() => {
                hide(id);
                undo();
              }}
            />
          )}
          <Button label={words.dismiss} onClick={() => hide(id)}>
            ×
          </Button>
        </div>
      ))}
    </div>
  );
}
