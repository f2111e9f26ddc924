import type { Page } from "playwright-core";
import type { Role } from "../../src/base/scopes.js";
import type { Shop } from "./shop.js";

/** Adds a person, signs them in with their link, and opens a path. */
export async function signInAs(
  page: Page,
  shop: Shop,
  { email, name, role }: { readonly email: string; readonly name?: string; readonly role: Role },
  path = "/console",
) {
  const { person, link } = await shop.acme.people.add({ email, role, ...(name !== undefined && { name }) });
  await pressLink(page, shop.url + link.path);
  if (path !== "/console") await page.goto(shop.url + path);
  return person;
}

/** Opens a sign-in link and presses its button. */
export async function pressLink(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("navigation", { name: "Console" }).waitFor();
}
