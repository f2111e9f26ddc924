import { useEffect, useState } from "preact/hooks";
import { parts as words } from "../words/en/parts.js";
import { Button } from "./button.js";
import { getErrorMessage } from "./error-message.js";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
  readonly undo: (() => void) | null;
  readonly next: NextAction | null;
}

/** What a toast offers to do next. */
export interface NextAction {
  readonly text: string;
  readonly run: () => void;
}

const VISIBLE_MS = 8_000;

const isTransient = ({ next }: Toast) => next === null;

let addToast: (toast: Toast) => void = () => {};
let lastId = 0;

/**
 * Shows a toast that reports a completed action.
 * @param undo a callback for the toast's undo button, or `null` for a toast without an undo button.
 * @param next another button of the toast, or `null` for none.
 */
export function showToast(
  text: string,
  undo: (() => void) | null = null,
  next: NextAction | null = null,
): void {
  lastId += 1;
  addToast({ id: lastId, text, isError: false, undo, next });
}

/** Shows an error's message as a toast. */
export function showError(error: unknown): void {
  lastId += 1;
  addToast({ id: lastId, text: getErrorMessage(error), isError: true, undo: null, next: null });
}

/** Runs a task and shows a toast if it fails. Resolves to `true` if the task succeeded, or to `false` if it failed. */
export async function runWithToast(task: () => Promise<unknown>): Promise<boolean> {
  try {
    await task();
    return true;
  } catch (error) {
    showError(error);
    return false;
  }
}

/**
 * Shows toasts. Render it once per page. A toast with a next step stays until the user takes the step, dismisses the toast, or
 * leaves the screen, or until another toast replaces it.
 * @param props `path` is the path of the current screen.
 */
export function Toasts({ path }: { readonly path: string }) {
  const [toasts, setToasts] = useState<readonly Toast[]>([]);
  useEffect(() => {
    addToast = (toast) => {
      setToasts((previous) => [...previous.filter(isTransient).slice(-2), toast]);
      if (isTransient(toast))
        setTimeout(() => setToasts((previous) => previous.filter(({ id }) => id !== toast.id)), VISIBLE_MS);
    };
  }, []);
  useEffect(() => setToasts((previous) => previous.filter(isTransient)), [path]);
  const hide = (id: number) => setToasts((previous) => previous.filter((toast) => toast.id !== id));
  return (
    <div class="toasts" role="status">
      {toasts.map(({ id, text, isError, undo, next }) => (
        <div key={id} class={`toast ${isError ? "bad" : ""}`}>
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
          {next !== null && (
            <Button
              text={next.text}
              onClick={() => {
                hide(id);
                next.run();
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
