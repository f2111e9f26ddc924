import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { Button } from "./button.js";
import { useCloseOnLeave } from "./close-on-leave.js";

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
 * A button that opens a menu of actions. The menu closes when the user presses Escape, clicks or taps outside the menu, or moves
 * focus out of it.
 */
export function Menu({ label, items }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  // Identified by its text, because the content of the item's dialog may change after it has opened.
  const [selectedText, setSelectedText] = useState<string | null>(null);
  const root = useRef<HTMLDivElement>(null);
  useCloseOnLeave(isOpen, root, () => setOpen(false));
  const choose = (item: MenuItem) => {
    // Focus the menu's button first, because a dialog returns the focus to the element that had it.
    root.current?.querySelector("button")?.focus();
    setOpen(false);
    if (item.dialog !== undefined) setSelectedText(item.text);
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
      {items.find(({ text }) => text === selectedText)?.dialog?.(() => setSelectedText(null))}
    </div>
  );
}
