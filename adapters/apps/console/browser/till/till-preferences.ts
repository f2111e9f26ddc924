import { useState } from "preact/hooks";
import { base } from "../api/session.js";

const defaults = {
  isEveryScanAStamp: false,
  isLeftHanded: false,
  hasSound: true,
  hasVibration: true,
} as const;

/** A till's preferences. Each browser stores its own. */
export type TillPreferences = { readonly [Name in keyof typeof defaults]: boolean };

const place = `loyalty-till-choices${base}`;

/** Reads the preferences stored in this browser. Missing or invalid ones get their defaults. */
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
  // Use the defaults if the browser's storage is unavailable or contains invalid data.
}

/**
 * Returns this till's current preferences, for code outside of components. Components that must re-render when a preference changes
 * use {@link useTillPreferences}.
 */
export const readTillPreferences = () => current;

/**
 * Returns this till's preferences and a function that changes them. Changes are stored in the browser if its storage is available.
 */
export function useTillPreferences(): [TillPreferences, (change: Partial<TillPreferences>) => void] {
  const [choices, setChoices] = useState(current);
  const choose = (change: Partial<TillPreferences>) => {
    current = { ...current, ...change };
    setChoices(current);
    try {
      localStorage.setItem(place, JSON.stringify(current));
    } catch {
      // Without storage, the preferences apply until the page is closed.
    }
  };
  return [choices, choose];
}
