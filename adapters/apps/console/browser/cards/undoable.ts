import { useState } from "preact/hooks";

/** Maximum number of undo steps. */
const KEPT = 100;

interface Step<T> {
  readonly value: T;
  readonly path: string;
}

interface Undoable<T> {
  readonly value: T;
  /** Changes the value. Consecutive changes at the same path are undone together, as one step. */
  readonly set: (value: T, path: string) => void;
  /** Undoes the last step, or `null` if there is nothing to undo. */
  readonly undo: (() => void) | null;
  /** Sets the value and clears the undo history. */
  readonly begin: (value: T) => void;
}

/** Works like `useState`, but also keeps previous values so that changes can be undone. */
export function useUndoable<T>(initial: T): Undoable<T> {
  const [steps, setSteps] = useState<readonly [Step<T>, ...Step<T>[]]>([{ value: initial, path: "" }]);
  const [last, ...before] = steps;
  const [previous, ...earlier] = before;
  return {
    value: last.value,
    set: (value, path) =>
      setSteps(([latest, ...others]) =>
        latest.path === path
          ? [{ value, path }, ...others]
          : [{ value, path }, latest, ...others.slice(0, KEPT - 1)],
      ),
    // Clears the path, so that a change at the same path after an undo is a new step.
    undo: previous === undefined ? null : () => setSteps([{ ...previous, path: "" }, ...earlier]),
    begin: (value) => setSteps([{ value, path: "" }]),
  };
}
