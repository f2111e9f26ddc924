/* A page of a browser: the client alone, without Node.js and without any other package. */
import { createClient, isLoyaltyError } from "loyalty-kit/client";

/** What a scanned card has, for the page to show. */
export async function findPass(url: string, token: string, text: string): Promise<string> {
  const cafe = createClient({ url, token });
  try {
    const { template, stampProgress } = await cafe.passes.lookup(text);
    return `${template.name}: ${stampProgress?.currentStamps} of ${stampProgress?.maxStamps}`;
  } catch (error) {
    if (isLoyaltyError(error, "resource_not_found")) return "no card of ours";
    throw error;
  }
}
