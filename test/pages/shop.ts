import { LoyaltyService } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { createPages, type PagesOptions } from "loyalty-kit/pages";
import { onTestFinished } from "vitest";
import { ManualClock } from "../kit/manual-clock.js";

const base = "https://shop.example";

/** A shop whose pages are served in this process, and a way to come to them as customers do. */
export async function openShop(options: PagesOptions = {}) {
  const clock = new ManualClock();
  const loyalty = new LoyaltyService({
    storage: memoryStorage(),
    clock: clock.read,
    shortLinkBase: `${base}/loyalty/c`,
  });
  onTestFinished(() => loyalty.close());
  const api = createHttpApi(loyalty, {
    authenticate: apiTokens(loyalty),
    extensions: [createPages(loyalty, options)],
    basePath: "/loyalty",
    addressOf: ({ headers }) => headers.get("x-address"),
  });
  const acme = loyalty.organization("acme");
  const card = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
  const get = (path: string, headers: Record<string, string> = {}) =>
    api.fetch(new Request(`${base}/loyalty${path}`, { headers }));
  const join = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
    api.fetch(
      new Request(`${base}/loyalty/join/${card.id}`, {
        method: "POST",
        headers: { "x-address": "192.0.2.1", ...headers },
        body: new URLSearchParams({ consent: "yes", ...fields }),
      }),
    );
  const codeOf = (answer: Response) => answer.headers.get("location")?.split("/").at(-1) ?? "";
  return { loyalty, acme, card, clock, api, get, join, codeOf };
}
