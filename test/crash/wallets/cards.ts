import { LoyaltyService, type StorageAdapter } from "loyalty-kit";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { type createFakeApns, type createFakePki, FakeIPhone, fieldsOf } from "loyalty-kit/testing";
import { createWallets } from "loyalty-kit/wallets";

/** The certificates that a phone needs to hold a pass, and a push server. */
export interface AppleService {
  readonly pki: ReturnType<typeof createFakePki>;
  readonly apns: Awaited<ReturnType<typeof createFakeApns>>;
}

/** The wallet settings of all processes. */
export function createAppleOptions({ pki, apns }: AppleService) {
  const { certificate, key } = pki.pass;
  return {
    ...{ certificate, key, wwdr: pki.wwdr, organizationName: "Shop" },
    ...{ pushUrl: apns.url, pushCa: pki.root },
  };
}

/** Creates cards, each on a phone that fetches after a push. The process that stamps them is never killed. */
export async function createCards(storage: StorageAdapter, service: AppleService, count: number) {
  const { pki, apns } = service;
  const loyalty = new LoyaltyService({ storage });
  const apple = createAppleOptions(service);
  const wallets = createWallets(loyalty, { publicUrl: "https://shop.example", apple, deliver: false });
  const api = createHttpApi(loyalty, { authenticate: apiTokens(loyalty), extensions: [wallets.http] });
  const acme = loyalty.organization("acme");
  const template = await acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 100 });
  const phones: FakeIPhone[] = [];
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const { id } = await acme.passes.create(template.id, { user: { email: `c${at}@example.com` } });
    const phone = new FakeIPhone({ fetch: api.fetch, root: pki.root, deviceId: `phone-${at}` });
    await phone.add((await acme.passes.walletLinks(id)).apple ?? "");
    phones.push(phone);
    ids.push(id);
  }
  let pendingRequest: Promise<unknown> = Promise.resolve();
  apns.onPush = ({ pushToken }) => {
    const phone = phones.find((each) => each.pushToken === pushToken);
    pendingRequest = pendingRequest.then(() => phone?.pushed());
  };

  return {
    /** Adds a stamp to the next card, starting over after the last one. */
    async stamp(at: number): Promise<void> {
      await acme.stamps.add(ids[at % count] ?? "");
    },
    /** Lists the phones that show an old state. */
    async findStale(): Promise<string[]> {
      await pendingRequest;
      const stale: string[] = [];
      for (const [at, phone] of phones.entries()) {
        const pass = phone.passes.get(ids[at] ?? "");
        const { currentStamps, maxStamps } = await acme.stamps.state(ids[at] ?? "");
        const shownStamps = pass && fieldsOf(pass).get("stamps")?.value;
        if (shownStamps !== `${currentStamps}/${maxStamps}`) stale.push(phone.deviceId);
      }
      return stale;
    },
    listComplaints: () => phones.flatMap(({ complaints }) => complaints),
    async close(): Promise<void> {
      await wallets.close();
      await loyalty.close();
    },
  };
}
