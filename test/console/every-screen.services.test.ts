import { beforeAll, describe, expect, it } from "vitest";
import { type EveryScreen, fillEveryScreen } from "./every-screen.js";
import {
  findViolations,
  isOverflowing,
  measureEmptyScroll,
  openBrowser,
  openShop,
  showInTheme,
  signIn,
  typeKey,
  visit,
} from "./shop.js";

/** Timeout in milliseconds for visiting all screens, one after the other, on a busy machine. */
const LONG = 180_000;

/** Timeout for a single screen on a busy machine. */
const LATE = { timeout: 20_000 };

const [browser, shop] = await Promise.all([openBrowser(), openShop()]);
let draft = "";
let automationPath = "";
let purchasePath = "";
let screens: EveryScreen["screens"];

beforeAll(async () => {
  ({ draft, automationPath, purchasePath, screens } = await fillEveryScreen(shop));
});

/** Only CSS depends on the width and the theme, so each screen is loaded once and checked in all of these. */
const looks = [
  ["light", 1_440],
  ["dark", 768],
  ["light", 360],
  ["dark", 360],
] as const;

describe("every screen", () => {
  it(
    "has no axe violations or overflow in any look, shows hostile text as text, and contacts no other host",
    async () => {
      const { page, complaints, close } = await visit(browser);
      const hosts = new Set<string>();
      page.on("request", (request) => hosts.add(new URL(request.url()).host));
      await signIn(page, shop);
      for (const [path, landmark] of screens) {
        await page.goto(shop.url + path);
        await page.getByText(landmark).first().waitFor({ state: "attached" });
        await expect
          .poll(async () => [path, await page.locator("img[src=x], script:not([src])").count()])
          .toEqual([path, 0]);
        for (const [colorScheme, width] of looks) {
          const at = `${path}, ${colorScheme} at ${width} pixels`;
          await showInTheme(page, colorScheme, width);
          await expect.poll(async () => [at, await findViolations(page)]).toEqual([at, []]);
          await expect.poll(async () => [at, await isOverflowing(page)]).toEqual([at, false]);
          await expect.poll(async () => [at, (await measureEmptyScroll(page)) < 150]).toEqual([at, true]);
        }
      }
      expect(complaints).toEqual([]);
      expect([...hosts]).toEqual([new URL(shop.url).host]);
      await close();
    },
    2 * LONG,
  );

  it(
    "says that the server can't be reached if it has nothing to show, and loads once the server is back",
    async () => {
      const { page, close } = await visit(browser);
      await signIn(page, shop);
      for (const [path, landmark] of screens) {
        // These request nothing from the server, or have cached what they need.
        if (/till|reference|nowhere|settings.wallets/.test(path)) continue;
        await page.route("**/console/api/**", (route) => route.abort());
        await page.goto(shop.url + path);
        await page.getByText("The server can’t be reached.").first().waitFor();
        await page.unroute("**/console/api/**");
        await expect
          .poll(async () => {
            const tryAgainButton = page.getByRole("button", { name: "Try again" });
            if ((await tryAgainButton.count()) > 0) await tryAgainButton.first().click();
            return page.getByText(landmark).count();
          }, LATE)
          .toBeGreaterThan(0);
      }
      await close();
    },
    LONG,
  );

  it(
    "has no axe violations, overflow or hostile text that runs, in its dialogs or in a card at the till",
    async () => {
      const { page, complaints, close } = await visit(browser, { viewport: { width: 360, height: 740 } });
      await signIn(page, shop);
      const dialogs = [
        ["/console/customers", "Filter"],
        [screens[2]?.[0] ?? "", "Edit"],
        [screens[2]?.[0] ?? "", "Subscribe to news"],
        [screens[2]?.[0] ?? "", "Record an objection"],
        [screens[2]?.[0] ?? "", "Change language"],
        [screens[3]?.[0] ?? "", "Tag all"],
        [screens[3]?.[0] ?? "", "Save segment…"],
        [screens[3]?.[0] ?? "", "Add condition"],
        [screens[5]?.[0] ?? "", "Edit"],
        [screens[5]?.[0] ?? "", "Delete"],
        [draft, "Delete draft"],
        [draft, "Send a test"],
        [automationPath, "Delete"],
        [automationPath, "Try it"],
        ["/console/purchases", "Choose a customer"],
        [purchasePath, "Return goods…"],
        ["/console/cards", "New card"],
        ["/console/developers", "New token"],
        ["/console/developers", "Revoke"],
        ["/console/developers/webhooks", "New endpoint"],
        ["/console/developers/apps", "New app"],
        ["/console/developers/apps", "New secret"],
      ] as const;
      for (const [path, button] of dialogs) {
        await page.goto(shop.url + path);
        await page.getByRole("button", { name: button, exact: true }).first().click();
        await page.getByRole("dialog").waitFor();
        await expect
          .poll(async () => [button, await findViolations(page), await isOverflowing(page)])
          .toEqual([button, [], false]);
      }
      for (const [path, menu, item] of [
        ["/console/customers", "More about this list", "Add customer"],
        ["/console/customers", "More about this list", "Import"],
        ["/console/customers", "More about this list", "Export"],
        ["/console/customers", "More about this list", "Columns"],
        [screens[2]?.[0] ?? "", "More about this customer", "Erase permanently"],
        ["/console/tags", "More for", "Delete"],
        ["/console/cards", "More for", "Delete"],
      ] as const) {
        await page.goto(shop.url + path);
        await page.getByRole("button", { name: menu }).first().click();
        await expect
          .poll(async () => [menu, await findViolations(page), await isOverflowing(page)])
          .toEqual([menu, [], false]);
        await page.getByRole("button", { name: item }).first().click();
        await page.getByRole("dialog").waitFor();
        await expect
          .poll(async () => [item, await findViolations(page), await isOverflowing(page)])
          .toEqual([item, [], false]);
      }
      for (const kind of ["Welcome", "Nearly full", "Reward waiting", "Birthday", "Win back"]) {
        await page.goto(`${shop.url}/console/automations`);
        await page.getByRole("button", { name: kind }).click();
        await page.getByRole("dialog", { name: kind }).waitFor();
        await expect
          .poll(async () => [kind, await findViolations(page), await isOverflowing(page)])
          .toEqual([kind, [], false]);
      }
      await page.goto(`${shop.url}/console/till`);
      const find = page.getByLabel("Code, name, phone, or email");
      await find.fill("eve@");
      await page.getByRole("button", { name: /eve@example.com|<b>1/ }).click();
      await page.getByRole("button", { name: "Add 1 stamp" }).click();
      await page.getByRole("status").getByText("+1 stamp").waitFor();
      await expect
        .poll(async () => [await findViolations(page), await isOverflowing(page)])
        .toEqual([[], false]);
      expect(complaints).toEqual([]);
      await close();
    },
    LONG,
  );

  it("says that the server can't be reached, and offers to try again", async () => {
    const { page, close } = await visit(browser);
    await signIn(page, shop, "/console/customers");
    await page.getByText("eve@example.com").waitFor();
    await page.route("**/console/api/**", (route) => route.abort());
    await page.getByLabel("Search customers").fill("eve");
    await page.getByText("The server can’t be reached.").waitFor();
    await page.unroute("**/console/api/**");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByText("1–1 of 1 customer").waitFor();
    await close();
  });

  it("shows and allows only what the token may do", async () => {
    const { page, complaints, close } = await visit(browser);
    const token = await shop.createToken("user:read");
    await signIn(page, shop, "/console/customers", token);
    await page.getByText("eve@example.com").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Add customer" }).count()).toBe(0);
    await expect.poll(() => page.getByLabel("Select all on this page").count()).toBe(0);
    const hiddenScreens = ["purchases", "segments", "messages", "automations", "cards", "developers"];
    for (const path of hiddenScreens.map((screen) => `/console/${screen}`)) {
      await page.goto(shop.url + path);
      await page.getByText(/You don’t have permission to do this. It requires /).waitFor();
    }
    expect(complaints).toEqual([]);
    await close();
  });

  it("asks for a token again after the session has ended, and then continues with the input", async () => {
    const { page, context, close } = await visit(browser);
    await signIn(page, shop, "/console/customers");
    // A list request that is still running would ask for a token before the button does.
    await page.goto(`${shop.url}/console/customers`, { waitUntil: "networkidle" });
    await page.getByRole("button", { name: "Add customer" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Typed before");
    await page.getByLabel("Email", { exact: true }).fill("typed@example.com");
    await context.clearCookies();
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
    await page.getByLabel("API token").fill("wrong");
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("This API token isn’t valid.").waitFor();
    await page.getByLabel("API token").fill(shop.token);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Typed before" }).waitFor();
    await close();
  });

  it("shows nothing of another organization for an id in the URL", async () => {
    const globex = shop.loyalty.organization("globex");
    const user = await globex.users.create({ email: "secret@globex.example" });
    const card = await globex.templates.create({ name: "Secret", type: "LOYALTY_CARD" });
    const { page, close } = await visit(browser);
    await signIn(page, shop);
    for (const path of [`customers/${user.id}`, `cards/${card.id}/poster`]) {
      await page.goto(`${shop.url}/console/${path}`);
      await page.getByText("Page not found").waitFor();
    }
    await close();
  });

  it("can be left by signing out, and going back then asks for a token", async () => {
    const { page, close } = await visit(browser);
    await typeKey(page, shop);
    await page.getByRole("button", { name: "Sign out" }).first().click();
    await page.getByLabel("API token").waitFor();
    await page.goBack();
    await page.reload();
    await page.getByLabel("API token").waitFor();
    await close();
  });
});
