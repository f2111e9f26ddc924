import { useEffect, useState } from "preact/hooks";
import { loadCode } from "../api/call-error.js";
import { onSessionEnd } from "../api/session.js";
import { runWithToast } from "../components/toasts.js";
import type { PaletteView } from "./palette.js";
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

interface OpenedPalette {
  readonly Palette: typeof import("./palette.js")["Palette"];
  readonly view: PaletteView;
}

/** Returns the palette while it is open. Ctrl+K opens it from a field too, where the other keys type. A dialog keeps all keys. */
function usePalette(path: string, searchCount: number) {
  const [opened, setOpened] = useState<OpenedPalette | null>(null);
  const open = (view: PaletteView) =>
    runWithToast(async () => {
      const { Palette } = await loadCode(() => import("./palette.js"));
      setOpened({ Palette, view });
    });
  useEffect(() => {
    if (searchCount > 0) void open("search");
  }, [searchCount]);
  useEffect(() => {
    const handleKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      if (altKey || document.querySelector("dialog[open]") !== null) return;
      // At the till, scanners type “/” and “?”.
      const isTyped =
        path === "/till" || (target instanceof Element && target.closest("input, textarea, select") !== null);
      const isShortcut = ctrlKey || metaKey ? key === "k" : /^[/?]$/.test(key) && !isTyped;
      if (!isShortcut) return;
      event.preventDefault();
      const field = document.querySelector<HTMLElement>(".content input[type=search]");
      if (key === "/" && field !== null) field.focus();
      else void open(key === "?" ? "shortcuts" : "search");
    };
    addEventListener("keydown", handleKey);
    return () => removeEventListener("keydown", handleKey);
  }, [path]);
  if (opened === null) return null;
  const { Palette, view } = opened;
  return <Palette initialView={view} onClose={() => setOpened(null)} />;
}
