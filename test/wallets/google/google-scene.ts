import type { StorageAdapter } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { createFakeGoogle } from "loyalty-kit/testing";
import { createWallets, type WalletsOptions } from "loyalty-kit/wallets";
import { onTestFinished, vi } from "vitest";
import { openAcme, someEmail } from "../../kit/acme.js";

export const PUBLIC_URL = "https://shop.example/loyalty";

/** Opens a service with Google's half of the wallets, and a Google of its own. */
export async function openGoogle(storage: StorageAdapter, options: Partial<WalletsOptions> = {}) {
  const { loyalty, acme, clock } = openAcme({ storage });
  const google = await createFakeGoogle({ now: clock.read });
  const errors: unknown[] = [];
  const { issuerId, serviceAccount, apiUrl, tokenUrl, keysUrl } = google;
  const googleOptions = { issuerId, serviceAccount, apiUrl, tokenUrl, keysUrl, callsPerSecond: 10_000 };
  const wallets = createWallets(loyalty, {
    publicUrl: PUBLIC_URL,
    google: googleOptions,
    deliver: false,
    debounceMs: 0,
    stampRenderer: null,
    onError: (error) => errors.push(error),
    ...options,
  });
  // Waits until the doctor has made its call.
  await vi.waitUntil(() => google.calls.length > 0, 30_000);
  onTestFinished(async () => {
    await wallets.close();
    await google.close();
  });
  const api = createHttpApi(loyalty, {
    authenticate: apiTokens(loyalty),
    basePath: "/loyalty",
    extensions: [wallets.http],
    onError: (error) => errors.push(error),
  });
  google.sendBy(api.fetch);
  const template = await acme.templates.create({ name: "Coffee card", type: "STAMP_CARD", maxStamps: 5 });

  /** Creates a pass, and the link that leads to Google. */
  async function createPass(templateId = template.id) {
    const { id, qrCodeValue } = await acme.passes.create(templateId, { user: { email: someEmail() } });
    const { google: link } = await acme.passes.walletLinks(id);
    return { id, qrCodeValue, url: link ?? "", objectId: `${issuerId}.${id}` };
  }

  /** Follows the link of a pass. */
  const follow = (url: string) => api.fetch(new Request(url));

  /**
   * Follows the link of a pass as a customer, and adds the card.
   * @returns the object's id.
   */
  async function save(url: string): Promise<string> {
    const answer = await follow(url);
    return google.save(answer.headers.get("location") ?? `no link: ${answer.status}`);
  }

  /** Returns the content of an object at Google. */
  const getContent = (objectId: string) => google.objects.get(objectId)?.content ?? {};
  const getStatus = async (id: string) => (await acme.passes.get(id)).installationStatus;

  const scene = { google, googleOptions, loyalty, acme, clock, errors, wallets, api, template };
  return { ...scene, newPass: createPass, follow, save, shown: getContent, status: getStatus };
}
