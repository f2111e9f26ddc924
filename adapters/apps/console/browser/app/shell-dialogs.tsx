import { useEffect, useState } from "preact/hooks";
import { onSessionEnd } from "../api/session.js";
import { Palette, type PaletteView } from "./palette.js";
import { SignInAgain } from "./sign-in-again.js";

export interface DialogsProps {
  /** Path of the current screen, relative to the console. */
  readonly path: string;
  /** How often a button has opened the palette. */
  readonly searchCount: number;
}

/**
 * The dialogs that can open over any screen. They are loaded ahead, because the server may have newer code by the time the session
 * ends.
 */
export function ShellDialogs({ path, searchCount }: DialogsProps) {
  const [resume, setResume] = useState<(() => void) | null>(null);
  useEffect(() => onSessionEnd((resumeSession) => setResume(() => resumeSession)), []);
  const palette = usePalette(path, searchCount);
  if (resume === null) return palette;
  const continueSession = () => {
    setResume(null);
    resume();
  };
  return (
    <>
      {palette}
      <SignInAgain onDone={continueSession} />
    </>
  );
}

/**
 * Returns the palette while it is open. Ctrl+K opens it from a field too, where the other keys type. A dialog keeps all keys. It
 * opens before the next key is handled, so that its field gets everything that is typed after the shortcut.
 */
function usePalette(path: string, searchCount: number) {
  const [view, setView] = useState<PaletteView | null>(null);
  useEffect(() => {
    if (searchCount > 0) setView("search");
  }, [searchCount]);
  useEffect(() => {
    const handleKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      if (altKey || document.querySelector("dialog[open]") !== null) return;
      // At the till, scanners type “/” and “?”.
      const isTyping =
        path === "/till" || (target instanceof Element && target.closest("input, textarea, select") !== null);
      const isShortcut = ctrlKey || metaKey ? key === "k" : /^[/?]$/.test(key) && !isTyping;
      if (!isShortcut) return;
      event.preventDefault();
      const searchField = document.querySelector<HTMLElement>(".content input[type=search]");
      if (key === "/" && searchField !== null) searchField.focus();
      else setView(key === "?" ? "shortcuts" : "search");
    };
    addEventListener("keydown", handleKey);
    return () => removeEventListener("keydown", handleKey);
  }, [path]);
  return view !== null && <Palette initialView={view} onClose={() => setView(null)} />;
}
