import { randomUUID } from "node:crypto";
import type { Organization } from "loyalty-kit";
import type { Locator, Page } from "playwright-core";
import { type Settings, shorten } from "./bench.js";

/** The shortest time that a browser reports, in milliseconds: faster presses count as this. */
const TOLD_FROM_MS = 16;

/** The most frequent actions in the console. */
export const mainActions = [
  "stamp",
  "next",
  "search",
  "open customer",
  "open form",
  "create",
  "numbers of a week",
  "more numbers",
  "hour of the week",
  "open menu",
  "change a person",
  "older acts",
] as const;

/** This many people cause more acts than one page has. */
const PEOPLE = 25;

/** How often each action is done in a round. */
const SAMPLES = 4;

/**
 * How long the page is left alone before and after a press, in milliseconds. A query during a press would delay its next
 * picture.
 */
const QUIET_MS = 500;

/** How long after a key the next one is pressed, in milliseconds. */
const TYPING_MS = 100;

export type MainAction = (typeof mainActions)[number];

export interface Interactions {
  /** From each press to the next picture, in milliseconds. */
  readonly times: Readonly<Record<MainAction, readonly number[]>>;
  /** The worst shift of each page, as a fraction of it. Shifts within half a second of a press don't count. */
  readonly layoutShifts: readonly number[];
}

/** Does each main action some times, each as a person does: by the pointer and the keyboard, one after the other. */
export async function measureInteractions(
  page: Page,
  url: string,
  acme: Organization,
  settings: Settings,
): Promise<Interactions> {
  const samples = settings.rounds * shorten(SAMPLES, settings);
  const quietMs = shorten(QUIET_MS, settings);
  const delay = shorten(TYPING_MS, settings);
  await page.addInitScript(observerScript);
  const shop = randomUUID().slice(0, 8);
  const times: Record<MainAction, number[]> = {
    stamp: [],
    next: [],
    search: [],
    "open customer": [],
    "open form": [],
    create: [],
    "numbers of a week": [],
    "more numbers": [],
    "hour of the week": [],
    "open menu": [],
    "change a person": [],
    "older acts": [],
  };
  const layoutShifts: number[] = [];
  const timePress = async (action: MainAction, press: () => Promise<void>, result: Locator) => {
    await page.waitForTimeout(quietMs);
    await page.evaluate("window.slowest = 0");
    await press();
    await page.waitForTimeout(quietMs);
    await result.waitFor();
    times[action].push(Math.max(TOLD_FROM_MS, Number(await evaluateWhenDrawn(page, "window.slowest"))));
  };
  const visitPage = async (path: string, work: () => Promise<void>) => {
    await page.goto(`${url}/console${path}`);
    await work();
    layoutShifts.push(Number(await evaluateWhenDrawn(page, "window.shifted")));
  };
  const { id: templateId } = await acme.templates.create({
    name: "Timed",
    type: "STAMP_CARD",
    maxStamps: 10,
  });
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const timeButton = (action: MainAction, name: string, result: Locator) =>
    timePress(action, () => button(name).click(), result);

  await visitPage("/till", async () => {
    const field = page.getByLabel("Code, name, phone, or email");
    for (let at = 0; at < samples; at += 1) {
      const user = { email: `${shop}-${at}@example.com`, name: `${shop} ${at}` };
      const { qrCodeValue } = await acme.passes.create(templateId, { user });
      await field.fill(qrCodeValue);
      await page.keyboard.press("Enter");
      await button("Add 1 stamp").and(page.locator(":enabled")).waitFor();
      await timeButton("stamp", "Add 1 stamp", page.getByRole("status").getByText("+1 stamp"));
      await timeButton("next", "Next customer", page.getByText("Scan a card."));
    }
  });
  for (let at = 0; at < samples; at += 1) {
    const name = `${shop} ${at}`;
    await visitPage("/customers", async () => {
      const field = page.getByLabel("Search customers");
      const link = page.getByRole("link", { name, exact: true });
      await page.locator("tbody tr").first().waitFor();
      await timePress("search", () => field.pressSequentially(name, { delay }), link);
      await timePress("open customer", () => link.click(), page.getByRole("heading", { name, exact: true }));
    });
    await visitPage("/customers", async () => {
      const dialog = page.getByRole("dialog", { name: "Add customer" });
      const email = `created-${shop}-${at}@example.com`;
      await page.locator("tbody tr").first().waitFor();
      await timeButton("open form", "Add customer", dialog);
      await dialog.getByLabel("Email").fill(email);
      const add = dialog.getByRole("button", { name: "Add", exact: true });
      await timePress("create", () => add.click(), page.getByRole("heading", { name: email }));
    });
  }
  for (let at = 0; at < PEOPLE; at += 1)
    await acme.people.add({
      email: `person-${shop}-${at}@example.com`,
      name: `Person ${shop} ${at}`,
      role: "till",
    });
  for (let at = 0; at < samples; at += 1) {
    await visitPage("", async () => {
      const hours = page.locator(".hours");
      await page.getByRole("list", { name: "The last 30 days" }).waitFor();
      await timeButton("numbers of a week", "7 days", page.getByRole("list", { name: "The last 7 days" }));
      await timeButton("more numbers", "More numbers", hours);
      await hours.locator("button[tabindex='0']").focus();
      await timePress(
        "hour of the week",
        () => page.keyboard.press("ArrowLeft"),
        hours.locator("button:focus"),
      );
    });
    await visitPage("/settings/people", async () => {
      await timeButton("open menu", `More for Person ${shop} ${at % PEOPLE}`, button("Edit"));
      await timeButton("change a person", "Edit", page.getByRole("dialog", { name: /^Edit / }));
    });
    await visitPage("/settings/trail", async () => {
      await page.getByRole("list").getByRole("listitem").first().waitFor();
      await timeButton("older acts", "Older", button("Newer").and(page.locator(":enabled")));
    });
  }
  return { times, layoutShifts };
}

/** Records the slowest press and how far the page has moved without one. */
const observerScript = `
  window.slowest = 0;
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const { interactionId, duration } of list.getEntries()) {
      if (interactionId > 0) window.slowest = Math.max(window.slowest, duration);
    }
  }).observe({ type: "event", durationThreshold: ${TOLD_FROM_MS}, buffered: true });
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value } of list.getEntries()) if (!hadRecentInput) window.shifted += value;
  }).observe({ type: "layout-shift", buffered: true });`;

/** Waits until the browser has reported everything that was drawn. */
async function evaluateWhenDrawn(page: Page, expression: string): Promise<unknown> {
  return page.evaluate(`new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(${expression}), 100)));
  })`);
}
