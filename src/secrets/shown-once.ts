import { TOKEN_FORM } from "./token-format.js";

/** What a secret that signs webhooks begins with (Standard Webhooks). */
export const WEBHOOK_SECRET_PREFIX = "whsec_";

/** What is made by us, shown once, and whole in a JSON text: tokens of every kind, and secrets that sign webhooks. */
const secret = new RegExp(`"(?:${TOKEN_FORM}|${WEBHOOK_SECRET_PREFIX}[0-9A-Za-z+/]{24,}=*)"`);

/** Whether an answer, as JSON, tells a secret that is shown to nobody but who asked for it. */
export function holdsSecret(json: string): boolean {
  return secret.test(json);
}
