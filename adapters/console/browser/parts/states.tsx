import type { ComponentChildren } from "preact";
import { Button } from "./button.js";
import type { CallError } from "./call-error.js";

/** Why something is not shown, and the way on. */
export function Failed({ error, onRetry }: { readonly error: CallError; readonly onRetry: () => void }) {
  return (
    <div class="note bad" role="alert">
      <span class="grow">{error.message}</span>
      {error.status !== 403 && error.status !== 404 && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly children?: ComponentChildren;
  readonly action?: ComponentChildren;
}

/** What stands where there is nothing yet. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

/** As high as what will stand there. */
export function Skeleton({ height, count = 1 }: { readonly height: string; readonly count?: number }) {
  return (
    <div class="stack tight" aria-busy="true">
      <span class="unseen">Loading</span>
      {Array.from({ length: count }, (_, at) => (
        <div key={at} class="skeleton" style={{ height }} />
      ))}
    </div>
  );
}
