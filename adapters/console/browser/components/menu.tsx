import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "./button.js";

/** An item of a menu, which opens a dialog or acts immediately. */
export interface MenuItem {
  readonly text: string;
  /** A description of the action. */
  readonly hint?: string;
  readonly dialog?: (close: () => void) => ComponentChildren;
  readonly run?: () => void;
}

interface MenuProps {
  /** What the things are about. */
  readonly label: string;
  readonly items: readonly MenuItem[];
}

/** A button that opens a list of things to do. It closes by Escape, by a press elsewhere, and when the focus leaves it. */
export function Menu({ label, items }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  // By its text, since what a dialog says may come to be known after it opened.
  const [chosen, setChosen] = useState<string | null>(null);
  const root = useRef<HTMLDivElement>(null);
  // In the same frame that shows it, so that a key pressed immediately also closes it.
  useLayoutEffect(() => {
    if (!isOpen) return;
    const leave = ({ target }: Event) => {
      if (target instanceof Node && !root.current?.contains(target)) setOpen(false);
    };
    const close = ({ key }: KeyboardEvent) => {
      if (key !== "Escape") return;
      setOpen(false);
      root.current?.querySelector("button")?.focus();
    };
    addEventListener("keydown", close);
    addEventListener("pointerdown", leave);
    addEventListener("focusin", leave);
    return () => {
      removeEventListener("keydown", close);
      removeEventListener("pointerdown", leave);
      removeEventListener("focusin", leave);
    };
  }, [isOpen]);
  const choose = (item: MenuItem) => {
    // A dialog gives the focus back to what had it.
    root.current?.querySelector("button")?.focus();
    setOpen(false);
    if (item.dialog !== undefined) setChosen(item.text);
    item.run?.();
  };
  return (
    <div class="menu" ref={root}>
      <Button icon="more" label={label} isExpanded={isOpen} onClick={() => setOpen(!isOpen)} />
      {isOpen && (
        <ul class="menu-items">
          {items.map((item) => (
            <li key={item.text}>
              <button type="button" onClick={() => choose(item)}>
                {item.text}
                {item.hint !== undefined && <small class="quiet">{item.hint}</small>}
              </button>
            </li>
          ))}
        </ul>
      )}
      {items.find(({ text }) => text === chosen)?.dialog?.(() => setChosen(null))}
    </div>
  );
}
