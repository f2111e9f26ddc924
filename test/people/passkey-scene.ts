import type { StorageAdapter } from "loyalty-kit";
import type { ConsoleOptions } from "loyalty-kit/console";
import { expect } from "vitest";
import type { StaffAccount } from "../../src/people/sign-ins.js";
import {
  Authenticator,
  type CreationOptions,
  type Deviation,
  type RequestOptions,
} from "../kit/authenticator.js";
import { ManualClock } from "../kit/manual-clock.js";
import { openShop } from "./scene.js";

export const ORIGIN = "https://shop.example";

/** What a browser passes to its device to create a passkey or to sign with one. */
type PasskeyOptions = CreationOptions & RequestOptions & { readonly excludeCredentials: readonly unknown[] };

const own = { "sec-fetch-site": "same-origin", "x-loyalty-console": "1" };

/** Opens a shop where people sign in with passkeys, and what browsers and devices do there. */
export function openPasskeyShop(
  storage?: StorageAdapter,
  options: ConsoleOptions = {},
  clock = new ManualClock(),
) {
  const shop = openShop(storage, { passkeys: ORIGIN, ...options }, clock);
  const send = (path: string, body: unknown, headers: Record<string, string> = {}, method = "POST") =>
    shop.fetch(`/console/people${path}`, {
      method,
      headers: { ...own, "content-type": "application/json", ...headers },
      ...(method === "POST" && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
  const requestOptions = async (path: string, cookie = ""): Promise<PasskeyOptions> => {
    const answer = await send(path, { name: "Phone" }, { cookie });
    expect(answer.status).toBe(200);
    return JSON.parse(await answer.text());
  };
  /** Adds a person and signs them in by their link. */
  const createPerson = async (
    email: string,
    role: "owner" | "manager" | "till" = "till",
    acme = shop.acme,
  ) => {
    const added = await acme.people.add({ email, role });
    return { id: added.person.id, cookie: await shop.signIn(added.link.path) };
  };
  const addWith = async (
    cookie: string,
    authenticator: Authenticator,
    name = "Phone",
    deviation: Deviation = {},
  ) => {
    const creationOptions = await requestOptions("/me/passkeys/options", cookie);
    return send(
      "/me/passkeys",
      { name, credential: authenticator.create(creationOptions, deviation) },
      { cookie },
    );
  };
  const signInWith = async (
    authenticator: Authenticator,
    deviation: Deviation = {},
    { stay = false, cookie = "" } = {},
  ) => {
    const credential = authenticator.get(await requestOptions("/passkey/options"), deviation);
    return send("/passkey", { stay, credential }, { cookie });
  };
  /** Creates a person with a passkey, and the device that has it. */
  const createPersonWithPasskey = async (
    email: string,
    role: "owner" | "manager" | "till" = "till",
    countsUp = true,
  ) => {
    const one = await createPerson(email, role);
    const authenticator = new Authenticator(ORIGIN, countsUp);
    expect((await addWith(one.cookie, authenticator)).status).toBe(200);
    return { ...one, authenticator };
  };
  const getAccount = async (cookie: string): Promise<StaffAccount> =>
    JSON.parse(await (await shop.callConsole(cookie, "/people/me")).text());
  /** Returns the id of the first passkey of the signed-in person. */
  const getFirstPasskeyId = async (cookie: string) => (await getAccount(cookie)).passkeys[0]?.id ?? "";
  return {
    ...shop,
    send,
    requestOptions,
    person: createPerson,
    addWith,
    signInWith,
    createPersonWithPasskey,
    getAccount,
    getFirstPasskeyId,
  };
}
