import { subscribe } from "node:diagnostics_channel";
import * as z from "zod";
import { attacks, wrongByIntent } from "./attacks.js";
import type { Target } from "./callers.js";

/** Statuses of the response to an invalid request: such requests attack nothing. */
const WRONG: readonly number[] = [400, 422];

const wrongAnswerSchema = z.object({
  request: z.object({ method: z.string(), path: z.string() }),
  response: z.object({ statusCode: z.number() }),
});

/** Reports the first invalid request. */
function reportFault(message: unknown): void {
  const { request, response } = wrongAnswerSchema.parse(message);
  if (isTold || !WRONG.includes(response.statusCode)) return;
  isTold = true;
  process.send?.(`${request.method} ${request.path} is answered with ${response.statusCode}`);
}

let isTold = false;

/** Runs in its own process, so that what an attack costs its caller isn't measured. */
process.once("message", ({ attack, target }: { readonly attack: string; readonly target: Target }) => {
  if (!wrongByIntent.has(attack)) {
    subscribe("undici:request:headers", reportFault);
    subscribe("http.client.response.finish", reportFault);
  }
  attacks[attack]?.(target);
});
process.once("disconnect", () => process.exit());
