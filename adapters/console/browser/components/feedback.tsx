import type { ComponentChildren } from "preact";
import type { CallError } from "../api/call-error.js";
import { parts as words } from "../words/en/parts.js";
import { Button } from "./button.js";
import type { LoadedData } from "./load.js";

/** An error message, which screen readers announce immediately. */
export function ErrorText({ class: more = "", children }: ComplaintProps) {
  return (
    <p class={`note bad ${more}`} role="alert">
      {children}
    </p>
  );
}

interface ComplaintProps {
  readonly class?: string;
  readonly children: ComponentChildren;
}

/** The reason why something is not shown, and a way to try again where that may help. */
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

/** The notice where there is nothing yet. */
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

/** A place that is kept free while something loads, as high as what will stand there. */
export function Skeleton({ height, count = 1 }: { readonly height: string; readonly count?: number }) {
  return (
    <div class="stack tight" aria-busy="true">
      <span class="unseen">{words.loading}</span>
      {Array.from({ length: count }, (_, at) => (
        <div key={at} class="skeleton" style={{ height }} />
      ))}
    </div>
  );
}

interface LoadingProps<T> {
  readonly of: Pick<LoadedData<T>, "value" | "error" | "reload">;
  /** The height of what will stand there, and how many of it. Default: nothing stands there before. */
  readonly height?: string;
  readonly count?: number;
  /** Stands in place of a list that has no items. */
  readonly empty?: ComponentChildren;
  /** Stands in place of what does not exist. */
  readonly missing?: ComponentChildren;
  readonly children?: (value: T) => ComponentChildren;
}

/** Shows loaded data: a skeleton before it is there, an error, or its value, which stays if a reload fails. */
export function Loading<T>({ of, height, count = 1, empty, missing, children }: LoadingProps<T>) {
  const { value, error, reload } = of;
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
  readonly of: Pick<LoadedData<readonly Item[]>, "value" | "error" | "reload">;
  /** Stands in place of a list that has no items. */
  readonly empty: ComponentChildren;
  readonly children: (item: Item) => ComponentChildren;
}

/** A list that is loaded, in a panel, each item as its function draws it. */
export function LoadingList<Item>({ of, empty, children }: LoadingListProps<Item>) {
  return (
    <Loading of={of} height="3rem" count={3} empty={empty}>
      {(all) => <ul class="panel list">{all.map((item) => children(item))}</ul>}
    </Loading>
  );
}
