import { useEffect, useState } from "preact/hooks";
import { Button } from "./button.js";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isBad: boolean;
  readonly undo: (() => void) | null;
}

const SHOWN_MS = 8_000;

let show: (toast: Toast) => void = () => {};
let last = 0;

/** Tells what was done, and how to undo it. */
export function tell(text: string, undo: (() => void) | null = null): void {
  last += 1;
  show({ id: last, text, isBad: false, undo });
}

/** Tells what went wrong. */
export function tellFailure(error: unknown): void {
  last += 1;
  show({ id: last, text: error instanceof Error ? error.message : String(error), isBad: true, undo: null });
}

/** Where they are shown. */
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
              onClick={() => {
                hide(id);
                undo();
              }}
            >
              Undo
            </Button>
          )}
          <Button label="Dismiss" onClick={() => hide(id)}>
            ×
          </Button>
        </div>
      ))}
    </div>
  );
}
