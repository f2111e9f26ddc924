import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { type ConsoleOptions, createConsole } from "loyalty-kit/console";
import { bearerTokens, createHttpApi } from "loyalty-kit/http";
import { createMail, type OutgoingMail } from "loyalty-kit/mail";
import { memoryStorage } from "loyalty-kit/memory";
import { expect, onTestFinished } from "vitest";
import { ManualClock } from "../kit/manual-clock.js";

const own = { "sec-fetch-site": "same-origin" };
const call = { ...own, "x-loyalty-console": "1" };

/** Opens a service with mail and a console, and what browsers do there. Mails are collected in a list. */
export function openShop(
  storage: StorageAdapter = memoryStorage(),
  options: ConsoleOptions = {},
  clock = new ManualClock(),
) {
  const loyalty = new LoyaltyService({ storage, clock: clock.read });
  const mails: OutgoingMail[] = [];
  const mail = createMail(loyalty, {
    publicUrl: "https://shop.example",
    from: "Shop <hi@shop.example>",
    smtp: { send: async (mail) => void mails.push(mail) },
    deliver: false,
  });
  onTestFinished(async () => {
    await mail.close();
    await loyalty.close();
  });
  const extensions = [createConsole(loyalty, options)];
  const api = createHttpApi(loyalty, {
    authenticate: bearerTokens(loyalty),
    extensions,
    rateLimits: false,
    addressOf: ({ headers }) => headers.get("x-client"),
  });
  const fetch = (path: string, init: RequestInit = {}) =>
    api.fetch(new Request(`https://shop.example${path}`, init));
  const post = (path: string, form: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(path, { method: "POST", headers: { ...own, ...headers }, body: new URLSearchParams(form) });
  const requestMail = (email: string, headers: Record<string, string> = {}) =>
    post("/console/people/link", { email }, headers);
  const press = (path: string, form: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    post(path, form, headers);
  const getCookie = (answer: Response) => answer.headers.get("set-cookie")?.split(";")[0] ?? "";
  /** Signs in with a link. @returns the cookie of the browser. */
  const signIn = async (
    path: string,
    form: Record<string, string> = {},
    headers: Record<string, string> = {},
  ) => {
    const answer = await press(path, form, headers);
    expect(answer.status).toBe(303);
    return getCookie(answer);
  };
  /** Calls the API as the console does. */
  const callApi = (cookie: string, path: string, init: RequestInit = {}) =>
    fetch(`/console/api${path}`, { ...init, headers: { ...call, cookie, ...init.headers } });
  const callConsole = (cookie: string, path: string, init: RequestInit = {}) =>
    fetch(`/console${path}`, { ...init, headers: { ...call, cookie, ...init.headers } });
  const acme = loyalty.organization("acme");
  const waitForNewestMail = async (count: number) => {
    await expect.poll(() => mails.length).toBe(count);
    return findLinks(mails.at(-1));
  };
  return {
    loyalty,
    acme,
    clock,
    mails,
    fetch,
    post,
    requestMail,
    press,
    signIn,
    getCookie,
    callApi,
    callConsole,
    waitForNewestMail,
  };
}

/** Returns the paths of the sign-in links in a mail. */
export function findLinks(mail: OutgoingMail | undefined): string[] {
  return [...(mail?.text ?? "").matchAll(/https:\/\/shop\.example(\/console\/people\/link\/\S+)/g)].map(
    ([, path = ""]) => path,
  );
}
