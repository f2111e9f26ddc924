import type { ServerFinding } from "loyalty-kit/console";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import {
  findViolations,
  isOverflowing,
  openBrowser,
  openShop,
  showInTheme,
  signIn,
  visit,
  visitSignedIn,
} from "./shop.js";

const found: readonly ServerFinding[] = [
  { part: "runtime", state: "ok", message: "Node.js 24.1.0" },
  { part: "database", state: "ok", message: "shop.db is at schema version 1" },
  { part: "settings", state: "warning", message: "secrets are stored unencrypted; set LOYALTY_SECRET_KEYS" },
  { part: "wallets", state: "ok", message: "no problems found" },
  { part: "apple", state: "problem", message: "Apple's key doesn't match the certificate" },
  { part: "apple", state: "ok", message: "the certificate is valid until 2027-03-01" },
  { part: "google", state: "off", message: "not configured" },
  { part: "mail", state: "off", message: "not configured" },
  { part: "clock", state: "ok", message: "no events are dated in the future" },
];

/** Returns the findings of the next checks. */
let check = async () => found;

let time = Date.UTC(2026, 0, 5, 9);

const operators = new Set<string | null>();
const server = {
  isOperator: ({ actorId }: { readonly actorId: string | null }) => operators.has(actorId),
  check: () => check(),
};
const [browser, shop] = await Promise.all([openBrowser(), openShop({ clock: () => time, server })]);
const [token] = await shop.acme.apiTokens.list();
operators.add(token?.id ?? "");

const page = "/console/settings/server";

/** Moves the clock so far that the last result is too old to be shown again. */
function waitForNewCheck(): void {
  time += 5_000;
}

const listTabs = (visited: Page, name = "Settings") =>
  visited.getByRole("navigation", { name }).getByRole("link").allInnerTexts();

describe("the server page", () => {
  it("lists email, both wallets and the rest in order, with states in words and setup steps for missing parts", async () => {
    const { page: visited, complaints, close } = await visitSignedIn(browser, shop, page);
    await visited.getByText(/^Last checked at /).waitFor();
    const headings = visited.getByRole("heading", { level: 2 });
    await expect
      .poll(() => headings.allInnerTexts())
      .toEqual(["1. Email", "2. Apple Wallet", "3. Google Wallet", "4. Both wallets", "Everything else"]);
    const mail = visited.getByRole("region", { name: "Email" });
    await mail.getByText("Not set up").waitFor();
    await mail.getByText(/--smtp-url smtps:\/\//).waitFor();
    await mail.getByText("people add").waitFor();
    const apple = visited.getByRole("region", { name: "Apple Wallet" });
    await apple.getByText("Problem", { exact: true }).waitFor();
    await apple.getByText("Problem: Apple's key doesn't match the certificate.").waitFor();
    await apple.getByText("OK: The certificate is valid until 2027-03-01.").waitFor();
    await expect.poll(() => apple.getByText("loyalty-kit serve").count()).toBe(0);
    const rest = visited.getByRole("region", { name: "Everything else" });
    await expect
      .poll(() => rest.getByRole("heading", { level: 3 }).allInnerTexts())
      .toEqual(["Database", "Server settings", "Clock", "Node.js"]);
    await rest.getByText("Warning", { exact: true }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it.each(["en-US", "de-AT"])(
    "has no axe violations or overflow, in each theme, narrow and wide, in %s",
    async (locale) => {
      const { page: visited, close } = await visit(browser, { locale });
      await visited.request.post(`${shop.url}/console`, {
        form: { token: shop.token },
        headers: { origin: shop.url },
      });
      await visited.goto(shop.url + page);
      await visited.getByRole("heading", { name: "Google Wallet" }).waitFor();
      for (const theme of ["light", "dark"] as const) {
        for (const width of [390, 768, 1_440]) {
          await showInTheme(visited, theme, width);
          await expect
            .poll(async () => [theme, width, await findViolations(visited)])
            .toEqual([theme, width, []]);
          await expect
            .poll(async () => [theme, width, await isOverflowing(visited)])
            .toEqual([theme, width, false]);
        }
      }
      await close();
    },
  );

  it("is in German except for the doctor's findings, which stay in English and are marked as English", async () => {
    const { page: visited, close } = await visit(browser, { locale: "de-AT" });
    await visited.request.post(`${shop.url}/console`, {
      form: { token: shop.token },
      headers: { origin: shop.url },
    });
    await visited.goto(shop.url + page);
    await visited.getByText(/^Zuletzt geprüft um /).waitFor();
    const apple = visited.getByRole("region", { name: "Apple Wallet" });
    await apple.locator("[lang=en]").getByText("Apple's key doesn't match the certificate.").waitFor();
    await visited.getByRole("region", { name: "E-Mails" }).getByText("Nicht eingerichtet").waitFor();
    await visited.getByRole("button", { name: "Erneut prüfen" }).waitFor();
    await expect.poll(() => listTabs(visited, "Einstellungen")).toContain("Server");
    await close();
  });

  it("checks again on demand, shows that it is checking, and keeps the last result if a check fails", async () => {
    const { page: visited, close } = await visitSignedIn(browser, shop, page);
    const again = visited.getByRole("button", { name: "Check again" });
    const apple = visited.getByRole("region", { name: "Apple Wallet" });
    await apple.getByText("Problem", { exact: true }).waitFor();
    let finish = (_: readonly ServerFinding[]) => {};
    check = () => new Promise((resolve) => (finish = resolve));
    waitForNewCheck();
    await again.click();
    await visited.getByText("Checking. This can take half a minute.").waitFor();
    await expect.poll(() => again.getAttribute("aria-disabled")).toBe("true");
    await apple.getByText("Problem", { exact: true }).waitFor();
    finish([{ part: "apple", state: "ok", message: "no problems found" }]);
    await apple.getByText("OK", { exact: true }).waitFor();
    await expect.poll(() => visited.getByRole("region", { name: "Email" }).count()).toBe(0);

    const reported: unknown[] = [];
    const { error } = console;
    console.error = (cause) => reported.push(cause);
    check = () => Promise.reject(new Error("no file is left open"));
    waitForNewCheck();
    await again.click();
    await visited
      .getByRole("alert")
      .getByText("The check didn’t finish. Something went wrong. See the server’s log.")
      .waitFor();
    console.error = error;
    expect(reported).toEqual([new Error("no file is left open")]);
    await apple.getByText("OK", { exact: true }).waitFor();
    await expect.poll(() => findViolations(visited)).toEqual([]);
    check = async () => found;
    await again.click();
    await apple.getByText("Problem", { exact: true }).waitFor();
    await expect.poll(() => visited.getByRole("alert").count()).toBe(0);
    await close();
  });

  it("is linked from settings that aren't set up", async () => {
    const { page: visited, close } = await visitSignedIn(browser, shop, "/console/settings/mail");
    for (const tab of ["mail", "wallets", "people", "sign-in"]) {
      await visited.goto(`${shop.url}/console/settings/${tab}`);
      await visited.getByRole("link", { name: "Set up on the Server page" }).click();
      await visited.getByRole("heading", { name: "1. Email" }).waitFor();
    }
    await close();
  });

  it("is not found by people who don't run the server, and they are shown no commands", async () => {
    const { page: visited, close } = await visit(browser);
    const { token: another } = await shop.acme.apiTokens.create({
      name: "other",
      scopes: ["settings:read", "message:read", "people:manage"],
    });
    await signIn(visited, shop, page, another);
    await visited.getByText("Page not found").waitFor();
    for (const [tab, sentence] of [
      ["mail", "Email isn’t set up yet: ask the person who runs your server."],
      ["wallets", "Wallets aren’t set up yet: ask the person who runs your server."],
      [
        "people",
        "Email isn’t set up yet: ask the person who runs your server for a sign-in link for each team member.",
      ],
      ["sign-in", "The person who runs your server sets these up."],
    ] as const) {
      await visited.goto(`${shop.url}/console/settings/${tab}`);
      await visited.getByText(sentence, { exact: true }).waitFor();
      await expect.poll(() => visited.getByText("loyalty-kit").count()).toBe(0);
    }
    await expect.poll(() => listTabs(visited)).not.toContain("Server");
    await close();
  });
});
