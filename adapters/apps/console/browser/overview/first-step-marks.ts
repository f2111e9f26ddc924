import { base, session } from "../api/session.js";

/** What only this browser knows about the shop's first steps: the poster was printed, the list was hidden, or all steps are done. */
type Mark = "printed" | "hidden" | "done";

const buildKey = (mark: Mark) => `loyalty-first-steps ${mark} ${base} ${session.organizationId}`;

export function hasMark(mark: Mark): boolean {
  try {
    return localStorage.getItem(buildKey(mark)) !== null;
  } catch {
    return false;
  }
}

/** Stores a mark in this browser. Does nothing if the browser's storage isn't available. */
export function setMark(mark: Mark): void {
  try {
    localStorage.setItem(buildKey(mark), "1");
  } catch {
    // Without storage, the step stays open.
  }
}
