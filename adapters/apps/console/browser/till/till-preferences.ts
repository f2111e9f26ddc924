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

const storageKey = `loyalty-till-choices${base}`;

/** Reads the preferences stored in this browser. Missing or invalid ones get their defaults. */
function loadPreferences(): TillPreferences {
  const storedPreferences: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "{}");
  const preferences: Record<keyof TillPreferences, boolean> = { ...defaults };
  for (const name of ["isEveryScanAStamp", "isLeftHanded", "hasSound", "hasVibration"] as const) {
    const value: unknown =
      typeof storedPreferences === "object" && storedPreferences !== null
        ? Reflect.get(storedPreferences, name)
        : undefined;
    if (typeof value === "boolean") preferences[name] = value;
  }
  return preferences;
}

let current: TillPreferences = defaults;
try {
  current = loadPreferences();
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
  const [preferences, setPreferences] = useState(current);
  const updatePreferences = (change: Partial<TillPreferences>) => {
    current = { ...current, ...change };
    setPreferences(current);
    try {
      localStorage.setItem(storageKey, JSON.stringify(current));
    } catch {
      // Without storage, the preferences apply until the page is closed.
    }
  };
  return [preferences, updatePreferences];
}
