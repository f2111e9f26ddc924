import { z } from "zod";

/** `#RRGGBB`, in upper case after reading. */
export const colorText = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, { error: "must be a color of the form #RRGGBB" })
  .toUpperCase();
