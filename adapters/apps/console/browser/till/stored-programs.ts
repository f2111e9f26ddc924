import { createCalls } from "../api/calls.js";
import { base, hasScopes, session } from "../api/session.js";
import { type EarningCard, listEarningCards } from "./earning-card.js";

const storageKey = `loyalty-till-programs${base} ${session.organizationId}`;

/** Stores how the organization's cards earn, for previews without a connection. */
export async function refreshStoredPrograms(): Promise<void> {
  if (!hasScopes("template:read", "purchase:write")) return;
  const templates = await createCalls({ askToSignIn: false }).templates.list();
  localStorage.setItem(storageKey, JSON.stringify(listEarningCards(templates)));
}

/** Returns the cards that earn from purchases, as they were when the till was last opened with a connection. */
export function readStoredPrograms(): readonly EarningCard[] {
  try {
    return JSON.parse(localStorage.getItem(storageKey) ?? "[]");
  } catch {
    return [];
  }
}
