import { useState } from "preact/hooks";

/** How many steps can be taken back. */
const KEPT = 100;

interface Step<T> {
  readonly value: T;
  readonly field: string;
}

export interface Undoable<T> {
  readonly value: T;
  /** Changes it. What is changed of one field without another in between is one step. */
  readonly set: (value: T, field: string) => void;
  /** Takes the last step back; `null` when there is none. */
  readonly undo: (() => void) | null;
  /** Begins anew, with nothing to take back. */
  readonly begin: (value: T) => void;
}

/** A value whose changes can be taken back. */
export function useUndoable<T>(initial: T): Undoable<T> {
  const [steps, setSteps] = useState<readonly [Step<T>, ...Step<T>[]]>([{ value: initial, field: "" }]);
  const [last, ...before] = steps;
  const [previous, ...earlier] = before;
  return {
    value: last.value,
    set: (value, field) =>
      setSteps(([latest, ...others]) =>
        latest.field === field
          ? [{ value, field }, ...others]
          : [{ value, field }, latest, ...others.slice(0, KEPT - 1)],
      ),
    // A field that is changed again after it was taken back is another step.
    undo: previous === undefined ? null : () => setSteps([{ ...previous, field: "" }, ...earlier]),
    begin: (value) => setSteps([{ value, field: "" }]),
  };
}
