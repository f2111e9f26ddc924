import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "./button.js";

/** A menu item that opens a dialog or performs an action. */
export interface MenuItem {
  readonly text: string;
  readonly hint?: string;
  readonly dialog?: (close: () => void) => ComponentChildren;
  readonly run?: () => void;
}

interface MenuProps {
  /** Accessible name of the menu. */
  readonly label: string;
  readonly items: readonly MenuItem[];
}

/**
 * A button that opens a menu of actions. The menu closes when the user presses Escape, presses anywhere outside the menu, or moves
 * focus out of it.
 */
export function Menu({ label, items }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  // Identified by its text, because the content of the item's dialog may change after it has opened.
  const [chosen, setChosen] = useState<string | null>(null);
  const root = useRef<HTMLDivElement>(null);
  // A layout effect, so that even a key pressed right after opening closes the menu.
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
    // Focus the menu's button first, because a dialog returns the focus to the element that had it.
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
