import type { ComponentChildren } from "preact";
import type { CallError } from "../api/call-error.js";
import { parts as words } from "../words/en/parts.js";
import { Button } from "./button.js";
import type { LoadedData } from "./load.js";

/** An error message that screen readers announce immediately. */
export function ErrorText({ class: className = "", children }: ErrorTextProps) {
  return (
    <p class={`note bad ${className}`} role="alert">
      {children}
    </p>
  );
}

interface ErrorTextProps {
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** Shows why data couldn't be loaded, with a retry button if retrying might help. */
export function LoadError({ error, onRetry }: { readonly error: CallError; readonly onRetry: () => void }) {
  return (
    <div class="note bad" role="alert">
      <span class="grow">{error.message}</span>
      {error.status !== 403 && error.status !== 404 && <Button text={words.tryAgain} onClick={onRetry} />}
    </div>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
  readonly isPanel?: boolean;
}

/** A message shown in place of an empty screen or list. */
export function Empty({ title, children, action, isPanel = false }: EmptyProps) {
  const notice = (
    <div class="empty">
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
  return isPanel ? <div class="panel">{notice}</div> : notice;
}

/** A placeholder for content that is still loading, with approximately the content's height. */
export function Skeleton({ height, count = 1 }: { readonly height: string; readonly count?: number }) {
  return (
    <div class="stack tight" aria-busy="true">
      <span class="unseen">{words.loading}</span>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} class="skeleton" style={{ height }} />
      ))}
    </div>
  );
}

interface LoadingProps<T> {
  readonly data: Pick<LoadedData<T>, "value" | "error" | "reload">;
  /** The height of each placeholder shown while loading. If omitted, no placeholders are shown. */
  readonly height?: string;
  readonly count?: number;
  /** Shown in place of an empty list. */
  readonly empty?: ComponentChildren;
  /** Shown if the resource doesn't exist. */
  readonly missing?: ComponentChildren;
  readonly children?: (value: T) => ComponentChildren;
}

/**
 * Shows loaded data, a placeholder while it is loading, or an error if loading failed. If a reload fails, the previous value stays
 * visible below the error.
 */
export function Loading<T>({ data, height, count = 1, empty, missing, children }: LoadingProps<T>) {
  const { value, error, reload } = data;
  if (error?.status === 404 && missing !== undefined) return <>{missing}</>;
  const isEmpty = empty !== undefined && Array.isArray(value) && value.length === 0;
  return (
    <>
      {error !== null && <LoadError error={error} onRetry={reload} />}
      {value === null && error === null && height !== undefined && <Skeleton height={height} count={count} />}
      {value !== null && (isEmpty ? empty : children?.(value))}
    </>
  );
}

interface LoadingListProps<Item> {
  readonly data: Pick<LoadedData<readonly Item[]>, "value" | "error" | "reload">;
  /** Shown in place of an empty list. */
  readonly empty: ComponentChildren;
  readonly children: (item: Item) => ComponentChildren;
}

/** Shows a list in a panel once the list has loaded. `children` renders each item. */
export function LoadingList<Item>({ data, empty, children }: LoadingListProps<Item>) {
  return (
    <Loading data={data} height="3rem" count={3} empty={empty}>
      {(items) => <ul class="panel list">{items.map((item) => children(item))}</ul>}
    </Loading>
  );
}
