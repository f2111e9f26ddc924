import { describe, expect, it } from "vitest";
import { findViolations, openBrowser, openShop, visitSignedIn } from "./shop.js";

const [browser, shop] = await Promise.all([openBrowser(), openShop()]);

describe("the change history", () => {
  it("is listed newest first, with the actor and the target, page by page", async () => {
    const { token, apiToken } = await shop.acme.apiTokens.create({
      name: "The office",
      scopes: ["settings:write", "settings:read"],
    });
    const setName = (name: string) =>
      fetch(`${shop.url}/v1/settings`, {
        method: "PUT",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ name }),
      });
    for (let at = 0; at < 25; at += 1) {
      const { status } = await setName(`Café ${at}`);
      expect(status).toBe(200);
    }
    await shop.acme.apiTokens.delete(apiToken.id);
    const { page, complaints, close } = await visitSignedIn(browser, shop, "/console/settings/trail");
    const lines = page.getByRole("region", { name: "Change history" }).getByRole("listitem");
    await lines.first().getByText("Signed in").waitFor();
    await expect.poll(() => lines.count()).toBe(20);
    await lines.nth(1).getByText("Revoked an API token").waitFor();
    await lines.nth(2).getByText("Changed the shop’s settings").waitFor();
    const pages = page.getByRole("navigation", { name: "Change history pages" });
    await pages.getByRole("button", { name: "Older" }).click();
    await lines.getByText("Created an API token: The office").waitFor();
    await expect.poll(() => pages.getByRole("button", { name: "Older" }).isDisabled()).toBe(true);
    await pages.getByRole("button", { name: "Newer" }).click();
    await lines.first().getByText("Signed in").waitFor();
    await expect.poll(() => findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("names the token that made a change, to people who may see tokens", async () => {
    const { token } = await shop.acme.apiTokens.create({ name: "The office", scopes: ["settings:write"] });
    await fetch(`${shop.url}/v1/settings`, {
      method: "PUT",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "Named" }),
    });
    const owner = await visitSignedIn(browser, shop, "/console/settings/trail");
    const findLine = (page: typeof owner.page) => page.getByRole("listitem").filter({ hasText: "settings" });
    await findLine(owner.page).first().getByText("The office").waitFor();
    await owner.close();
    const auditor = await visitSignedIn(
      browser,
      shop,
      "/console/settings/trail",
      await shop.createToken("audit:read"),
    );
    await findLine(auditor.page).first().getByText("a program or till").waitFor();
    await auditor.close();
  });

  it("isn't shown without the scope, on the screen or by the API", async () => {
    const { page, close } = await visitSignedIn(
      browser,
      shop,
      "/console/settings/trail",
      await shop.createToken("settings:read"),
    );
    await page.getByText(/You don’t have permission to do this. It requires audit:read/).waitFor();
    await close();
  });
});
