import type { Actor } from "loyalty-kit";

/** The host's own code, which says nothing of itself. */
export const hostActor: Actor = {
  kind: "library",
  id: null,
  subject: null,
  location: null,
  receipt: null,
};
