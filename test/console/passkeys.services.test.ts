import { once } from "node:events";
import { createServer } from "node:http";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { pressLink, signInAs } from "./people-shop.js";
import { findViolations, isOverflowing, openBrowser, openShop, urlOf, visit } from "./shop.js";

/** Finds a free port. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = new URL(urlOf(server));
  await new Promise((resolve) => server.close(resolve));
  return Number(port);
}

/** Opens a shop with passkeys at `localhost`, because browsers create none for an IP address. */
async function openPasskeyShop() {
  const port = await findFreePort();
  const url = `http://localhost:${port}`;
  return { ...(await openShop({ port, passkeys: url })), url };
}

const [browser, shop] = await Promise.all([openBrowser(), openPasskeyShop()]);
// While the organization has no staff, the sign-in page asks for a token.
await shop.acme.people.add({ email: "owner@cafe.example", role: "owner" });

/** Adds a virtual authenticator to a browser, which creates passkeys without asking, or rejects them. */
async function addAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
    },
  });
  return {
    listCredentials: async () =>
      (await session.send("WebAuthn.getCredentials", { authenticatorId })).credentials,
  };
}

/**
 * Checks the settings page of a person who signs in with a link, in another browser, because the accessibility check
 * removes the authenticator.
 */
async function assertSettingsLookGood(link: string): Promise<void> {
  const { page, complaints, close } = await visit(browser, { viewport: { width: 390, height: 740 } });
  await pressLink(page, shop.url + link);
  await page.goto(`${shop.url}/console/settings/sign-in`);
  await findPanel(page).getByRole("listitem").waitFor();
  await expect.poll(async () => [await findViolations(page), await isOverflowing(page)]).toEqual([[], false]);
  await findPanel(page).getByRole("button", { name: "Add passkey" }).click();
  await expect.poll(() => findViolations(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await close();
}

const findPanel = (page: Page) => page.getByRole("region", { name: "Your passkeys" });

describe("passkeys", () => {
  it("are added in the settings, sign in without an email, and are removed", async () => {
    const { page, complaints, close } = await visit(browser, { viewport: { width: 390, height: 740 } });
    const device = await addAuthenticator(page);
    const person = await signInAs(
      page,
      shop,
      { email: "ada@cafe.example", name: "Ada", role: "manager" },
      "/console/settings/sign-in",
    );
    await findPanel(page).getByText("You don’t have a passkey yet").waitFor();
    await findPanel(page).getByRole("button", { name: "Add passkey" }).click();
    const dialog = page.getByRole("dialog", { name: "Add passkey" });
    await expect.poll(() => dialog.getByLabel("Name").inputValue()).toMatch(/ on Linux$/);
    await dialog.getByLabel("Name").fill(" ");
    await dialog.getByRole("button", { name: "Continue" }).click();
    await expect.poll(() => dialog.getByLabel("Name").getAttribute("aria-invalid")).toBe("true");
    await dialog.getByLabel("Name").fill("Ada’s laptop");
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.waitFor({ state: "hidden" });
    await page.getByText("You can now sign in with “Ada’s laptop”").waitFor();
    await findPanel(page)
      .getByRole("listitem")
      .getByText(/not used yet$/)
      .waitFor();
    await expect.poll(async () => (await device.listCredentials()).length).toBe(1);
    await assertSettingsLookGood((await shop.acme.people.link(person.id)).path);

    await findPanel(page).getByRole("button", { name: "Add passkey" }).click();
    await dialog.getByRole("button", { name: "Continue" }).click();
    await dialog.getByText("already has a passkey for you").waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();

    await page.getByRole("button", { name: "Sign out", exact: true }).last().click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
    await page.goto(`${shop.url}/console/customers`);
    await page.getByLabel(/^Stay signed in on this device/).check();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByRole("heading", { name: "Customers", exact: true }).waitFor();
    const session = (await shop.acme.people.sessions(person.id)).at(-1);
    const lasts = Date.parse(session?.expiresAt ?? "") - Date.parse(session?.createdAt ?? "");
    expect(lasts).toBe(30 * 86_400_000);

    await page.goto(`${shop.url}/console/settings/sign-in`);
    await findPanel(page)
      .getByRole("listitem")
      .getByText(/last used/)
      .waitFor();
    await findPanel(page).getByRole("button", { name: "Remove Ada’s laptop" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove Ada’s laptop" }).click();
    await page.getByText("Ada’s laptop was removed").waitFor();
    await findPanel(page).getByText("You don’t have a passkey yet").waitFor();
    await page.getByRole("button", { name: "Sign out", exact: true }).last().click();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByText("This passkey isn’t valid here anymore.").waitFor();
    await expect
      .poll(async () => [await findViolations(page), await isOverflowing(page)])
      .toEqual([[], false]);
    // On `localhost`, the browser logs which data `Clear-Site-Data` removes.
    expect(complaints.filter((each) => !each.startsWith("Clear-Site-Data"))).toEqual([]);
    await close();
  });

  it("show an error if the device has none, and tokens still work on the same page", async () => {
    const { page, complaints, close } = await visit(browser);
    await addAuthenticator(page);
    await page.goto(`${shop.url}/console/customers`);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByText("Canceled or timed out. Try again.").waitFor();
    await page.getByText("Sign in with an API token").click();
    await page.getByLabel("API token").fill(shop.token);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Customers", exact: true }).waitFor();
    await page.goto(`${shop.url}/console/settings/sign-in`);
    await page.getByRole("region", { name: "Your sign-in" }).waitFor();
    await expect.poll(() => findPanel(page).count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it("are not offered at another address of the server, and the settings name the right one", async () => {
    const { page, complaints, close } = await visit(browser);
    const other = urlOf(shop.server);
    await page.goto(`${other}/console`);
    await page.getByText("Sign in with an API token").waitFor();
    await expect
      .poll(() => page.getByRole("button", { name: "Sign in with a passkey" }).isVisible())
      .toBe(false);
    const { link } = await shop.acme.people.add({ email: "bob@cafe.example", role: "till" });
    await page.goto(other + link.path);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.goto(`${other}/console/settings/sign-in`);
    await findPanel(page).getByText(`Passkeys only work at ${shop.url}. Open the console there.`).waitFor();
    await expect.poll(() => findPanel(page).getByRole("button").count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });
});
