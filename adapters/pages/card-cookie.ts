import { isLoyaltyError } from "../../src/errors.js";
import { serviceInternals } from "../../src/internals.js";
import type { LoyaltyService } from "../../src/loyalty-service.js";
import type { HttpRequest } from "../http/index.js";
import { cookieIn } from "../http/request/headers.js";
import { headerValue } from "../http/request/http-message.js";

const NAME = "loyalty-card";
const YEAR_SECONDS = 31_536_000;

/** Returns the card code stored in the browser's cookie, or `null` if it is missing or malformed. */
export function readCardCookie({ headers }: HttpRequest): string | null {
  const code = cookieIn(headers, NAME);
  return code !== null && /^[0-9A-Za-z]{12}$/.test(code) ? code : null;
}

/**
 * Creates a `Set-Cookie` value that stores a card's code for a year. Browsers send the cookie only to the sign-up page at `path`,
 * and scripts can't read it.
 * @param path the sign-up page's path as the browser sees it.
 * @param code the card's code, or `null` to delete the cookie.
 */
export function createCardCookie({ headers }: HttpRequest, path: string, code: string | null): string {
  const isHttps = headerValue(headers, "origin")?.startsWith("https:") ?? false;
  const kept = code === null ? "; Max-Age=0" : `; Max-Age=${YEAR_SECONDS}`;
  return `${NAME}=${code ?? ""}; Path=${path}${kept}${isHttps ? "; Secure" : ""}; HttpOnly; SameSite=Lax`;
}

/** Returns whether the code still belongs to a card that was issued from the template. */
export async function isCardOfTemplate(
  loyalty: LoyaltyService,
  { organizationId, templateId }: { readonly organizationId: string; readonly templateId: string },
  code: string,
): Promise<boolean> {
  if ((await serviceInternals(loyalty).organizationOfCode(code)) !== organizationId) return false;
  try {
    const pass = await loyalty.organization(organizationId).passes.lookup(code);
    return pass.templateId === templateId;
  } catch (error) {
    if (isLoyaltyError(error, "resource_not_found")) return false;
    throw error;
  }
}
