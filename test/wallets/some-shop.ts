import type { StorageAdapter } from "loyalty-kit";
import { serviceInternals } from "../../src/internals.js";
import { openAcme, someEmail } from "../kit/acme.js";

/** Opens an organization whose passes have wallet links, and a backend that serves wallets. */
export async function openShop(storage: StorageAdapter, debounceMs = 1_000) {
  const { loyalty, acme, clock } = openAcme({ storage });
  const backend = serviceInternals(loyalty).createWalletBackend(debounceMs);
  backend.attachLinker(({ passId, linkToken }) => ({
    apple: `https://shop.test/${passId}/${linkToken}`,
    google: null,
  }));
  const template = await acme.templates.create({ name: "Coffee card", type: "STAMP_CARD", maxStamps: 3 });
  const deviceEvents: { type: string; platform: string | null }[] = [];
  for (const type of ["pass.installed", "pass.uninstalled"] as const) {
    loyalty.on(type, ({ data }) => deviceEvents.push({ type, platform: data.platform }));
  }

  /** Creates a pass that has wallet links. */
  async function createCard(organization = acme, templateId = template.id) {
    const { id } = await organization.passes.create(templateId, {
      user: { email: someEmail() },
    });
    const { apple } = await organization.passes.walletLinks(id);
    return { id, linkToken: apple?.split("/").at(-1) ?? "" };
  }

  /** Applies all events to the cards. */
  async function follow(organizationId = "acme") {
    while (await backend.follow(organizationId));
  }

  return {
    storage,
    clock,
    loyalty,
    backend,
    acme,
    template,
    told: deviceEvents,
    newCard: createCard,
    follow,
  };
}

export const createPhone = (passId: string, deviceId = "phone") =>
  ({ passId, platform: "apple", deviceId, pushToken: `token of ${deviceId}` }) as const;
