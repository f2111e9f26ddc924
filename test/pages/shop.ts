import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { apiTokens, createHttpApi, type RateLimitOptions } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { createPages, type PagesOptions } from "loyalty-kit/pages";
import { onTestFinished } from "vitest";
import { runStep } from "../../src/base/concurrency/step.js";
import { serviceInternals } from "../../src/internals.js";
import { RowSecrets } from "../../src/kernel/row-secrets.js";
import { buildLinkToken, type LinkPurpose } from "../../src/messages/mail-links.js";
import { mailJobs, mailQueueRecord } from "../../src/storage/mail.js";
import { ManualClock } from "../kit/manual-clock.js";

const base = "https://shop.example";

export interface ShopOptions extends PagesOptions {
  readonly storage?: StorageAdapter;
  /** Whether mail is configured. Default: false. */
  readonly sendsMail?: boolean;
  readonly rateLimits?: RateLimitOptions | false;
  readonly secretKeys?: readonly string[];
}

/** Opens a shop whose pages are served in this process, with functions that use them as customers do. */
export async function openShop(shopOptions: ShopOptions = {}) {
  const {
    storage = memoryStorage(),
    sendsMail = false,
    rateLimits,
    secretKeys = [],
    ...options
  } = shopOptions;
  const clock = new ManualClock();
  const loyalty = new LoyaltyService({
    storage,
    clock: clock.read,
    shortLinkBase: `${base}/loyalty/c`,
    secretKeys,
  });
  onTestFinished(() => loyalty.close());
  const mail = serviceInternals(loyalty).backends.mail;
  if (sendsMail) mail.attachSender({ host: "shop.example" });
  const api = createHttpApi(loyalty, {
    authenticate: apiTokens(loyalty),
    extensions: [createPages(loyalty, options)],
    basePath: "/loyalty",
    addressOf: ({ headers }) => headers.get("x-address"),
    ...(rateLimits !== undefined && { rateLimits }),
  });
  const acme = loyalty.organization("acme");
  const card = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 5 });
  const get = (path: string, headers: Record<string, string> = {}) =>
    api.fetch(new Request(`${base}/loyalty${path}`, { headers }));
  /** Sends the sign-up form, with an email or a phone number in its one field. */
  const postJoin = (
    { email, phone, ...fields }: Record<string, string>,
    headers: Record<string, string> = {},
  ) =>
    api.fetch(
      new Request(`${base}/loyalty/join/${card.id}`, {
        method: "POST",
        headers: { "x-address": "192.0.2.1", ...headers },
        body: new URLSearchParams({ contact: email ?? phone ?? "", ...fields }),
      }),
    );
  const send = (path: string, init: RequestInit = {}) =>
    api.fetch(new Request(`${base}/loyalty${path}`, { method: "POST", ...init }));
  /** Claims all due mails, records them as accepted, and returns them. */
  const listMails = async () => {
    const jobs = await mail.claim("acme", "pass", 100);
    const [at, result] = [clock.read(), { kind: "accepted", code: 250, answer: null }] as const;
    for (const { lease, delivery, to } of jobs)
      await mail.recordResults("acme", "pass", lease, [
        { deliveryId: delivery.id, to, result, at, durationMs: 1 },
      ]);
    return jobs;
  };
  /** Returns the token of a link to a customer. */
  const createToken = async (userId: string, purpose: LinkPurpose) => {
    const [queue, user] = [
      await runStep(storage.reader("acme").findQueue(mailJobs)),
      await runStep(storage.reader("acme").findUser(userId)),
    ];
    if (queue === null || user === null) throw new Error("nothing was mailed yet, or nobody is there");
    return buildLinkToken(new RowSecrets(secretKeys).open(mailQueueRecord, "acme", queue), purpose, user);
  };
  const getCode = (answer: Response) => /\/c\/([^?]+)/.exec(answer.headers.get("location") ?? "")?.[1] ?? "";
  return {
    loyalty,
    acme,
    card,
    clock,
    api,
    mail,
    listMails,
    createToken,
    get,
    send,
    join: postJoin,
    getCode,
  };
}
