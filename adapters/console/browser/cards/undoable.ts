import { useState } from "preact/hooks";

/** The most steps that can be taken back. */
const KEPT = 100;

interface Step<T> {
  readonly value: T;
  readonly path: string;
}

interface Undoable<T> {
  readonly value: T;
  /** Changes it. Changes at one path without another in between are one step. */
  readonly set: (value: T, path: string) => void;
  /** Takes the last step back; `null` if there is none. */
  readonly undo: (() => void) | null;
  /** Starts over with a value, without a history. */
  readonly begin: (value: T) => void;
}

/** A value whose changes can be taken back. */
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
    // A path that is changed again after it was taken back is another step.
    undo: previous === undefined ? null : () => setSteps([{ ...previous, path: "" }, ...earlier]),
    begin: (value) => setSteps([{ value, path: "" }]),
  };
}
