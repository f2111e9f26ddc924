import { useState } from "preact/hooks";
import { base } from "../api/session.js";

const defaults = {
  isEveryScanAStamp: false,
  isLeftHanded: false,
  hasSound: true,
  hasVibration: true,
} as const;

/** A shop's preferences for a till. */
export type TillPreferences = { readonly [Name in keyof typeof defaults]: boolean };

const place = `loyalty-till-choices${base}`;

/** Reads what this browser keeps; what it does not keep is as it comes. */
function keptChoices(): TillPreferences {
  const kept: unknown = JSON.parse(localStorage.getItem(place) ?? "{}");
  const choices: Record<keyof TillPreferences, boolean> = { ...defaults };
  for (const name of ["isEveryScanAStamp", "isLeftHanded", "hasSound", "hasVibration"] as const) {
    const value: unknown = typeof kept === "object" && kept !== null ? Reflect.get(kept, name) : undefined;
    if (typeof value === "boolean") choices[name] = value;
  }
  return choices;
}

let current: TillPreferences = defaults;
try {
  current = keptChoices();
} catch {
  // A browser that keeps nothing, or something else, has the till as it comes.
}

/** Returns the current choices. */
export const readTillPreferences = () => current;

/** The choices of this till, which stay when the page is closed. */
export function useTillPreferences(): [TillPreferences, (change: Partial<TillPreferences>) => void] {
  const [choices, setChoices] = useState(current);
  const choose = (change: Partial<TillPreferences>) => {
    current = { ...current, ...change };
    setChoices(current);
    try {
      localStorage.setItem(place, JSON.stringify(current));
    } catch {
      // They count until the page is closed.
    }
  };
  return [choices, choose];
}
