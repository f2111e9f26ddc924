import type { Actor } from "loyalty-kit";

/** The host's own code, which doesn't identify itself. */
export const hostActor: Actor = {
  kind: "library",
  id: null,
  subject: null,
  location: null,
  receipt: null,
};
