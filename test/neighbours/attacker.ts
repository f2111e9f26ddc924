import { attacks, type Target } from "./attacks.js";

/** A process of its own, so that what an attack costs its caller is not measured. */
process.once("message", ({ attack, target }: { readonly attack: string; readonly target: Target }) => {
  attacks[attack]?.(target);
});
process.once("disconnect", () => process.exit());
