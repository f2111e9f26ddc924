import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { openShop } from "./some-shop.js";

describe("the links of a pass", () => {
  it("are null without wallets, except the page", async () => {
    const { acme } = openAcme();
    const { id: templateId } = await acme.templates.create({ name: "Member", type: "LOYALTY_CARD" });
    const pass = await acme.passes.create(templateId, { user: { email: "ada@example.com" } });
    expect(await acme.passes.walletLinks(pass.id)).toEqual({
      apple: null,
      google: null,
      page: pass.qrCodeValue,
    });
  });

  it("stay the same until they are revoked, and then open nothing", async () => {
    const { backend, acme, newCard } = await openShop(memoryStorage());
    const { id, linkToken } = await newCard();
    const links = await acme.passes.walletLinks(id);
    expect(await acme.passes.walletLinks(id)).toEqual(links);
    expect(linkToken).toMatch(/^[0-9A-Za-z]{32}$/);
    expect(await backend.open(id, "linkToken", linkToken)).toMatchObject({ organizationId: "acme" });
    const renewed = await acme.passes.revokeWalletLinks(id);
    expect(renewed.apple).not.toBe(links.apple);
    expect(await backend.open(id, "linkToken", linkToken)).toBeNull();
    expect(await backend.open(id, "linkToken", "")).toBeNull();
    expect(await backend.open("wp_unknown", "linkToken", linkToken)).toBeNull();
  });

  it("aren't found for a pass of another organization", async () => {
    const { loyalty, newCard } = await openShop(memoryStorage());
    const { id } = await newCard();
    const rejection = loyalty.organization("globex").passes.walletLinks(id);
    await expect(rejection).rejects.toMatchObject({ code: "resource_not_found" });
  });
});
