import { attacks } from "./attacks.js";
import type { Target } from "./callers.js";

/** A process of its own, so that what an attack costs its caller is not measured. */
process.once("message", ({ attack, target }: { readonly attack: string; readonly target: Target }) => {
  attacks[attack]?.(target);
});
process.once("disconnect", () => process.exit());
