import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface FoldProps {
  readonly title: string;
  /** Whether it is open at first, because something in it isn't as usual. */
  readonly isFilled: boolean;
  /** The error of a field inside, which opens it. */
  readonly error: string | undefined;
  readonly children: ComponentChildren;
}

/** Rarely used fields, which the user can open. */
export function Fold({ title, isFilled, error, children }: FoldProps) {
  const [isOpen, setOpen] = useState(isFilled);
  return (
    <details
      class="fold"
      open={isOpen || error !== undefined}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{title}</summary>
      <div class="stack">{children}</div>
    </details>
  );
}
