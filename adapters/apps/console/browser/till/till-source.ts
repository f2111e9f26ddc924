import { base } from "../api/session.js";
import { createRandomText } from "./receipt.js";

const storageKey = `loyalty-till-source${base}`;

let current: string | null = null;

/**
 * Returns the source of this device's purchases, such as `till-4k2zq81m`. The browser stores it. Without storage, it applies until the
 * page is closed.
 */
export function readTillSource(): string {
  current ??= loadSource() ?? createSource();
  return current;
}

function loadSource(): string | null {
  try {
    const stored = localStorage.getItem(storageKey) ?? "";
    return /^till-[a-z0-9]{8}$/.test(stored) ? stored : null;
  } catch {
    return null;
  }
}

function createSource(): string {
  const source = `till-${createRandomText(8)}`;
  try {
    localStorage.setItem(storageKey, source);
  } catch {
    // The browser has no storage.
  }
  return source;
}
