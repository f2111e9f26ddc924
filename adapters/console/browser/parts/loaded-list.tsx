import type { ComponentChildren } from "preact";
import type { Loaded } from "./load.js";
import { Failed, Skeleton } from "./states.js";

interface LoadedListProps<T> {
  readonly list: Pick<Loaded<readonly T[]>, "value" | "error" | "reload">;
  /** How high an item is about. */
  readonly height: string;
  /** What stands there for no items. */
  readonly empty: ComponentChildren;
  readonly children: (items: readonly T[]) => ComponentChildren;
}

/** A list that is shown whole: as it loads, when it failed, when it is empty, and its items. */
export function LoadedList<T>({
  list: { value, error, reload },
  height,
  empty,
  children,
}: LoadedListProps<T>) {
  return (
    <>
      {error !== null && <Failed error={error} onRetry={reload} />}
      {value === null && error === null && <Skeleton height={height} count={3} />}
      {value !== null && (value.length === 0 ? empty : children(value))}
    </>
  );
}
