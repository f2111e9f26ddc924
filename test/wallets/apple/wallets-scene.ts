import type { StorageAdapter } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { createFakeApns, createFakePki, FakeIPhone } from "loyalty-kit/testing";
import { createWallets, type WalletsOptions } from "loyalty-kit/wallets";
import { onTestFinished } from "vitest";
import { openAcme, someEmail } from "../../kit/acme.js";
import { ManualClock } from "../../kit/manual-clock.js";

const PUBLIC_URL = "https://shop.example/loyalty";

/** Keys and certificates for all tests of a file, because creating keys takes long. */
export const pki = createFakePki({ now: new ManualClock().now });

export const appleOptions = {
  certificate: pki.pass.certificate,
  key: pki.pass.key,
  wwdr: pki.wwdr,
  organizationName: "Coffee & Co",
};

/** Opens a service with Apple's half of the wallets, a push service of its own, and phones. */
export async function openWallets(storage: StorageAdapter, options: Partial<WalletsOptions> = {}) {
  const apns = await createFakeApns(pki);
  const { loyalty, acme, clock } = openAcme({ storage });
  const errors: unknown[] = [];
  const wallets = createWallets(loyalty, {
    publicUrl: PUBLIC_URL,
    apple: { ...appleOptions, pushUrl: apns.url, pushCa: pki.root },
    deliver: false,
    debounceMs: 0,
    onError: (error) => errors.push(error),
    ...options,
  });
  onTestFinished(async () => {
    await wallets.close();
    await apns.close();
  });
  const api = createHttpApi(loyalty, {
    authenticate: apiTokens(loyalty),
    basePath: "/loyalty",
    extensions: [wallets.http],
  });
  const template = await acme.templates.create({ name: "Coffee card", type: "STAMP_CARD", maxStamps: 5 });

  /** Creates a pass, and the link by which a phone gets it. */
  async function createPass(templateId = template.id) {
    const { id, qrCodeValue } = await acme.passes.create(templateId, { user: { email: someEmail() } });
    const { apple } = await acme.passes.walletLinks(id);
    return { id, qrCodeValue, url: apple ?? "" };
  }

  const phones = new Map<string, FakeIPhone>();
  function createPhone(deviceId = "iphone") {
    const phone = new FakeIPhone({ fetch: api.fetch, root: pki.root, deviceId, now: clock.read });
    phones.set(phone.pushToken, phone);
    return phone;
  }

  /**
   * Sends everything that is due, and lets the phones that got a push fetch their passes.
   * @returns the number of pushes.
   */
  async function deliver(): Promise<number> {
    const before = apns.pushes.length;
    await wallets.runOnce();
    const pushes = apns.pushes.slice(before);
    for (const { pushToken } of pushes) await phones.get(pushToken)?.pushed();
    return pushes.length;
  }

  const callService = (method: string, path: string, init: RequestInit = {}) =>
    api.fetch(new Request(`${PUBLIC_URL}/wallets${path}`, { method, ...init }));

  return {
    apns,
    loyalty,
    acme,
    clock,
    errors,
    wallets,
    api,
    template,
    newPass: createPass,
    newPhone: createPhone,
    deliver,
    call: callService,
  };
}
