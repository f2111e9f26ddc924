import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { scopesOfRole } from "../../src/base/scopes.js";
import { serviceInternals } from "../../src/internals.js";
import { createPng } from "../cards/some-picture.js";
import { unzip } from "../exports/unzipped.js";
import {
  findViolations,
  isOverflowing,
  openBrowser,
  openShop,
  signIn,
  visit,
  visitSignedIn,
} from "./shop.js";

const [browser, shop] = await Promise.all([openBrowser(), openShop()]);

const at = (path: string, token?: string) => visitSignedIn(browser, shop, path, token);

/** Script: whether the shop's name is too long to be shown in full. */
const isCut = `(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)(document.querySelector("nav .shop-name"))`;

describe("the shop", () => {
  it("has a name, language, currency and logo as customers see them, and saves only the changed fields", async () => {
    const card = await shop.acme.templates.create({ name: "Coffee", type: "STAMP_CARD", maxStamps: 8 });
    const { page, complaints, close } = await visit(browser, { timezoneId: "Europe/Berlin" });
    await signIn(page, shop, "/console/settings/shop");
    await page.getByText(/Times will follow this device’s time zone, Europe\/Berlin\.$/).waitFor();
    await page.getByLabel("Shop name").fill("Café Müller");
    await page.getByLabel("Default language").selectOption("de");
    const currency = page.getByLabel("Currency");
    await expect.poll(() => currency.inputValue()).toBe("EUR");
    await page.getByLabel("Logo").setInputFiles({
      ...{ name: "logo.png", mimeType: "image/png", buffer: Buffer.from("<svg onload='alert(1)'/>") },
    });
    await page.getByText(/^“logo.png” can’t be read as a picture/).waitFor();
    await page.getByLabel("Logo").setInputFiles({
      ...{ name: "logo.png", mimeType: "image/png", buffer: createPng(60, 40) },
    });
    await page.getByRole("button", { name: "Remove logo" }).waitFor();
    await currency.selectOption("Swiss Franc (CHF)");
    await shop.acme.settings.update({ requiresEmail: false });
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    const newSettings = { name: "Café Müller", language: "de", currency: "CHF", timeZone: "Europe/Berlin" };
    await expect.poll(() => shop.acme.settings.get()).toMatchObject({ ...newSettings, requiresEmail: false });
    await expect.poll(async () => (await shop.acme.settings.get()).logo).toMatch(/^[0-9a-f]{64}$/);
    await page.getByText("Picture saved").waitFor();
    await expect.poll(() => findViolations(page)).toEqual([]);
    // The navigation shows the logo if the customer pages serve it.
    await page.route("**/j/pictures/*", (route) =>
      route.fulfill({ contentType: "image/png", body: createPng(60, 40) }),
    );
    await page.reload();
    await page.locator("nav .shop-logo").waitFor();
    await page.goto(`${shop.url}/console/cards/${card.id}/poster`);
    await page.getByRole("region", { name: "Poster" }).getByText("Café Müller").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("has its name above every screen immediately, truncated if long, with the full name in a tooltip", async () => {
    const long = "Kaffeehaus und Konditorei Oberösterreichischer Hof am Marktplatz, Linz";
    const { page, complaints, close } = await at("/console/settings/shop");
    const shopName = page.getByRole("navigation", { name: "Console" }).locator(".shop-name");
    await page.getByLabel("Shop name").fill(long);
    await page.getByRole("button", { name: "Save" }).click();
    await shopName.getByText(long).waitFor();
    await expect.poll(() => shopName.getAttribute("title")).toBe(long);
    await expect.poll(() => page.evaluate(isCut)).toBe(true);
    await page.goto(`${shop.url}/console/till`);
    await shopName.getByText(long).waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole("banner").getByText(long).waitFor();
    await expect.poll(() => isOverflowing(page)).toBe(false);
    await page.goto(`${shop.url}/console/developers`);
    await page.getByText("Organization acme").waitFor();
    await expect.poll(() => isOverflowing(page)).toBe(false);
    await shop.acme.settings.update({ name: null });
    await page.reload();
    await page.getByRole("banner").getByText("acme").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("is saved by a retry if the server was busy, and reports it once if the server is still busy", async () => {
    const { page, close } = await at("/console/settings/shop");
    const busyAnswers: Promise<unknown>[] = [];
    await page.route("**/console/api/v1/settings", async (route) => {
      if (route.request().method() !== "PUT" || busyAnswers.length === 0) return route.fallback();
      await busyAnswers.shift();
      const headers = { "retry-after": "1" };
      return route.fulfill({ status: 503, headers, json: { code: "storage_unavailable", params: null } });
    });
    const save = async (name: string) => {
      await page.getByLabel("Shop name").fill(name);
      await page.getByRole("button", { name: "Save" }).click();
    };
    let answer = () => {};
    busyAnswers.push(Promise.resolve(), new Promise<void>((resolve) => (answer = resolve)));
    await save("Too busy twice");
    await page.getByRole("button", { name: "Saving…" }).waitFor();
    await page.getByRole("link", { name: "Time zone" }).click();
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    await question.getByText("Your changes are still being saved.").waitFor();
    await question.getByRole("button", { name: "Stay" }).click();
    answer();
    await page.getByText("The server is busy. Try again in 1 second.", { exact: true }).waitFor();
    busyAnswers.push(Promise.resolve());
    await save("Too busy once");
    await expect.poll(async () => (await shop.acme.settings.get()).name).toBe("Too busy once");
    await shop.acme.settings.update({ name: null });
    await close();
  });

  it("is read-only with a token that may only read settings", async () => {
    const { page, close } = await at("/console/settings/shop", await shop.createToken("settings:read"));
    await page
      .getByText("You can view these settings, but you don’t have permission to change them.")
      .waitFor();
    await expect.poll(() => page.getByLabel("Shop name").isDisabled()).toBe(true);
    await expect.poll(() => page.getByLabel("Logo").isDisabled()).toBe(true);
    await close();
  });
});

describe("the export of all data", () => {
  it("is one ZIP file from one button, for people who may export it", async () => {
    await shop.acme.users.create({ email: "to-be-taken@example.com" });
    const { page, complaints, close } = await at("/console/settings/shop");
    const section = page.getByRole("region", { name: "Export all data" });
    await section.getByText(/as tables you can open in a spreadsheet/).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      section.getByRole("button", { name: "Export everything" }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^export-\d{4}-\d\d-\d\d\.zip$/);
    const files = unzip(readFileSync(await download.path()));
    expect(String(files.get("users.csv"))).toContain("to-be-taken@example.com");
    expect(files.has("README.txt")).toBe(true);
    await page.getByText("The export is complete").waitFor();
    await expect.poll(() => findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("has no button for a manager who isn't the owner", async () => {
    const token = await shop.createToken(...scopesOfRole.manager);
    const { page, close } = await at("/console/settings/shop", token);
    await page.getByLabel("Shop name").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Export everything" }).count()).toBe(0);
    await close();
  });

  it("shows an error if it breaks off, and then its button again", async () => {
    const { page, close } = await at("/console/settings/shop");
    await page.route("**/console/api/v1/export", (route) => route.abort());
    await page.getByRole("button", { name: "Export everything" }).click();
    await page
      .getByText(/can’t be reached/)
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Export everything" }).waitFor();
    await close();
  });
});

describe("the wallet settings", () => {
  const setup = {
    apple: "pass.com.example.coffee",
    google: null,
    certificates: [
      createCertificate("pass.com.example.coffee", 12),
      createCertificate("Apple Worldwide Developer Relations", 400),
    ],
    problems: ["Apple's certificate of the pass type expires in 12 days: renew it"],
  };

  it("say whom to ask if no wallet is set up", async () => {
    const { page, complaints, close } = await at("/console/settings/wallets");
    await page.getByText("Wallets aren’t set up yet: ask the person who runs your server.").waitFor();
    await expect.poll(() => findViolations(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("show when a certificate expires, and warn in time, only to people who may read settings", async () => {
    const unlink = serviceInternals(shop.loyalty)
      .createWalletBackend(0)
      .attachLinker(
        () => ({ apple: null, google: null }),
        (id) => (id === "acme" ? setup : null),
      );
    const { page, close } = await at("/console/settings/wallets");
    const apple = page.getByRole("region", { name: "Apple Wallet" });
    await apple.getByText("set up", { exact: true }).waitFor();
    await apple.getByText(/^until .+; renew it within 12 days$/).waitFor();
    await apple.getByText(/^Apple Worldwide Developer Relations, until [^:]+$/).waitFor();
    await page.getByText("The person who runs your server can fix it.").waitFor();
    await page.getByText("Google Wallet isn’t set up yet: ask the person who runs your server.").waitFor();
    await expect.poll(() => findViolations(page)).toEqual([]);
    await close();
    const other = await at("/console/settings/wallets", await shop.createToken("user:read"));
    await other.page.getByText(/It requires settings:read/).waitFor();
    await expect.poll(() => other.page.content()).not.toContain("pass.com.example");
    await other.close();
    unlink();
  });
});

function createCertificate(name: string, days: number) {
  const expiresAt = new Date(Date.now() + days * 86_400_000 - 60_000).toISOString();
  return { object: "wallet_certificate", platform: "apple", name, expiresAt } as const;
}

describe("the message settings", () => {
  it("are quiet hours and a frequency cap, save only the changed fields, and show errors at their fields", async () => {
    await shop.acme.settings.update({ timeZone: "Europe/Vienna" });
    const { page, complaints, close } = await at("/console/settings/messages");
    await page.getByLabel("Quiet hours").check();
    await page.getByText("Time zone: Europe/Vienna.").waitFor();
    await page.getByLabel("From", { exact: true }).fill("22:00");
    await page.getByLabel("Until").fill("22:00");
    await page.getByLabel("Days").fill("91");
    const save = page.getByRole("button", { name: "Save" });
    await save.click();
    await page.getByText("must not be the same as from").waitFor();
    await page.getByText(/^must be at most 90|^Too big/).waitFor();
    await shop.acme.messageSettings.update({ senderName: "Set by somebody else meanwhile" });
    await page.getByLabel("Until").fill("07:30");
    await page.getByLabel("Days").fill("30");
    await page.getByText(/^must be at most 90|^Too big/).waitFor({ state: "detached" });
    await page.getByLabel("Messages", { exact: true }).fill("3");
    await save.click();
    await page.getByText("Saved. Your changes apply from now on.").waitFor();
    await expect
      .poll(() => shop.acme.messageSettings.get())
      .toMatchObject({
        senderName: "Set by somebody else meanwhile",
        quietHours: { from: "22:00", to: "07:30" },
        cap: { perDays: 30, messages: 3 },
        walletByDefault: false,
      });
    await page.getByLabel("Limit messages per customer").uncheck();
    await page.getByLabel("Show messages on cards unless the customer has unsubscribed").check();
    await save.click();
    await expect.poll(async () => (await shop.acme.messageSettings.get()).cap).toBeNull();
    await expect
      .poll(() => shop.acme.messageSettings.get())
      .toMatchObject({
        quietHours: { from: "22:00", to: "07:30" },
        walletByDefault: true,
      });
    expect(complaints).toEqual([]);
    await close();
  });

  it("are read-only with a token that may only read messages", async () => {
    const { page, close } = await at("/console/settings/messages", await shop.createToken("message:read"));
    await page
      .getByText("You can view these settings, but you don’t have permission to change them.")
      .waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Save" }).count()).toBe(0);
    await expect.poll(() => page.getByLabel("Quiet hours").isDisabled()).toBe(true);
    const tabs = page.getByRole("navigation", { name: "Settings" }).getByRole("link");
    await expect.poll(() => tabs.allInnerTexts()).toEqual(["Email", "Messages", "Sign-in"]);
    await page.goto(`${shop.url}/console/settings/time-zone`);
    await page.getByText(/You don’t have permission to do this. It requires settings:read/).waitFor();
    await close();
  });
});

describe("the time zone", () => {
  it("is saved under its canonical name, and an invalid one is reported at its field", async () => {
    const { page, complaints, close } = await at("/console/settings/time-zone");
    const zone = page.getByRole("combobox", { name: "Time zone" });
    await zone.fill("Vienna");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText(/must be an IANA time zone/).waitFor();
    await zone.fill("america/new_york");
    await page.getByText(/^It’s .* there now\.$/).waitFor();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved", { exact: true }).waitFor();
    await expect.poll(() => zone.inputValue()).toBe("America/New_York");
    await expect.poll(async () => (await shop.acme.settings.get()).timeZone).toBe("America/New_York");
    expect(complaints).toEqual([]);
    await close();
  });
});

it("unsaved changes are lost through a link or the back button only after confirmation", async () => {
  const { page, complaints, close } = await at("/console/customers");
  await page.getByRole("link", { name: "Settings" }).first().click();
  const name = page.getByLabel("Shop name");
  await name.fill("Typed and not saved");
  const question = page.getByRole("dialog", { name: "Leave without saving?" });
  await page.getByRole("link", { name: "Time zone" }).click();
  await question.getByRole("button", { name: "Stay" }).click();
  await expect.poll(() => name.inputValue()).toBe("Typed and not saved");
  await page.goBack();
  await question.getByRole("button", { name: "Stay" }).click();
  await expect.poll(() => name.inputValue()).toBe("Typed and not saved");
  expect(new URL(page.url()).pathname).toBe("/console/settings/shop");
  await page.goBack();
  await question.getByRole("button", { name: "Leave without saving" }).click();
  await page.getByRole("heading", { name: "Customers", exact: true }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/console/customers");
  expect(complaints).toEqual([]);
  await close();
});

it("the current tab is in view on a phone, even if many come before it", async () => {
  const { page, close } = await at("/console/settings/shop");
  await page.setViewportSize({ width: 390, height: 800 });
  const tab = page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Sign-in" });
  const rightEdge = async () => {
    const box = await tab.boundingBox();
    return box === null ? Number.NaN : box.x + box.width;
  };
  await expect.poll(rightEdge).toBeGreaterThan(390);
  await page.goto(`${shop.url}/console/settings/sign-in`);
  await expect.poll(rightEdge).toBeLessThanOrEqual(390);
  await close();
});

describe("the sign-in settings", () => {
  it("show the name of the token and what it permits, and sign out", async () => {
    const { page, complaints, close } = await at(
      "/console/settings/sign-in",
      await shop.createToken("user:read", "user:create", "api_token:manage"),
    );
    const signInRegion = page.getByRole("region", { name: "Your sign-in" });
    await signInRegion.getByText("acme", { exact: true }).waitFor();
    await signInRegion.getByText("test", { exact: true }).waitFor();
    await signInRegion.getByText("view, add", { exact: true }).waitFor();
    await signInRegion.getByText("until it’s revoked", { exact: true }).waitFor();
    await expect.poll(() => signInRegion.getByText("Messages", { exact: true }).count()).toBe(0);
    await page.getByRole("region", { name: "This server" }).getByText("not set up yet").first().waitFor();
    expect(complaints).toEqual([]);
    await signInRegion.getByRole("button", { name: "Sign out", exact: true }).click();
    await page.getByLabel("API token").waitFor();
    await close();
  });

  it("sign out every device with the same token with one press", async () => {
    const token = await shop.createToken("user:read");
    const [visit, lostVisit] = [
      await at("/console/settings/sign-in", token),
      await at("/console/customers", token),
    ];
    await visit.page.getByRole("button", { name: "Sign out of all devices" }).click();
    await visit.page.getByLabel("API token").waitFor();
    await lostVisit.page.reload();
    await lostVisit.page.getByLabel("API token").waitFor();
    await visit.close();
    await lostVisit.close();
  });

  it("show only the start of the token to people who may not see tokens", async () => {
    const token = await shop.createToken("user:read");
    const { page, close } = await at("/console/settings/sign-in", token);
    const signInRegion = page.getByRole("region", { name: "Your sign-in" });
    const key = signInRegion.getByText(/^lk_\w+…$/);
    await key.waitFor();
    await expect.poll(async () => token.startsWith((await key.innerText()).slice(0, -1))).toBe(true);
    await expect.poll(() => page.content()).not.toContain(token);
    await expect.poll(() => signInRegion.getByText("Name", { exact: true }).count()).toBe(0);
    await close();
  });
});
