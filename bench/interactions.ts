import type { Organization } from "loyalty-kit";
import type { Page } from "playwright-core";

/** The least time that a browser tells of, in milliseconds: what is quicker counts as this. */
const TOLD_FROM_MS = 16;

/** What is done most often at the console. */
export const mainActions = [
  "stamp",
  "next",
  "search",
  "open customer",
  "create",
  "numbers of a week",
  "hour of the week",
  "change a person",
  "older acts",
] as const;

/** So many people make more acts than a page of them has. */
const PEOPLE = 25;

export type MainAction = (typeof mainActions)[number];

export interface Interactions {
  /** From each press to the next picture, in milliseconds. */
  readonly times: Readonly<Record<MainAction, readonly number[]>>;
  /** The worst of each page, as a part of it. What a press moves within half a second is meant. */
  readonly layoutShifts: readonly number[];
}

/** Does each main action some times, each as a person does: by the pointer and the keyboard, one after the other. */
export async function interactions(
  page: Page,
  url: string,
  acme: Organization,
  samples: number,
): Promise<Interactions> {
  await page.addInitScript(watching);
  const times: Record<MainAction, number[]> = {
    stamp: [],
    next: [],
    search: [],
    "open customer": [],
    create: [],
    "numbers of a week": [],
    "hour of the week": [],
    "change a person": [],
    "older acts": [],
  };
  const layoutShifts: number[] = [];
  const timed = async (action: MainAction, work: () => Promise<void>) => {
    await page.evaluate("window.slowest = 0");
    await work();
    times[action].push(Math.max(TOLD_FROM_MS, Number(await settled(page, "window.slowest"))));
  };
  const visit = async (path: string, work: () => Promise<void>) => {
    await page.goto(`${url}/console${path}`);
    await work();
    layoutShifts.push(Number(await settled(page, "window.shifted")));
  };
  const { id: templateId } = await acme.templates.create({
    name: "Timed",
    type: "STAMP_CARD",
    maxStamps: 10,
  });
  const press = (name: string | RegExp) => page.getByRole("button", { name, exact: true }).click();

  await visit("/till", async () => {
    const field = page.getByLabel("Code, name, phone, or email");
    for (let at = 0; at < samples; at += 1) {
      const user = { email: `timed-${at}@example.com`, name: `Timed ${at}` };
      const { qrCodeValue } = await acme.passes.create(templateId, { user });
      await field.fill(qrCodeValue);
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Add 1 stamp" }).and(page.locator(":enabled")).waitFor();
      await timed("stamp", async () => {
        await press("Add 1 stamp");
        await page.getByRole("status").getByText("+1 stamp").waitFor();
      });
      await timed("next", async () => {
        await press("Next customer");
        await page.getByText("Scan a card.").waitFor();
      });
    }
  });
  for (let at = 0; at < samples; at += 1) {
    await visit("/customers", async () => {
      const field = page.getByLabel("Search customers");
      await page.locator("tbody tr").first().waitFor();
      await timed("search", async () => {
        await field.pressSequentially(`Timed ${at}`);
        await page.getByRole("link", { name: `Timed ${at}`, exact: true }).waitFor();
      });
      await timed("open customer", async () => {
        await page.getByRole("link", { name: `Timed ${at}`, exact: true }).click();
        await page.getByRole("heading", { name: `Timed ${at}`, exact: true }).waitFor();
      });
    });
    await visit("/customers", async () => {
      await page.locator("tbody tr").first().waitFor();
      await timed("create", async () => {
        await press("Add customer");
        const dialog = page.getByRole("dialog", { name: "Add customer" });
        await dialog.getByLabel("Email").fill(`created-${at}@example.com`);
        await dialog.getByRole("button", { name: "Add", exact: true }).click();
        await page.getByRole("heading", { name: `created-${at}@example.com` }).waitFor();
      });
    });
  }
  for (let at = 0; at < PEOPLE; at += 1)
    await acme.people.add({ email: `person-${at}@example.com`, name: `Person ${at}`, role: "till" });
  for (let at = 0; at < samples; at += 1) {
    await visit("", async () => {
      const hours = page.locator(".hours");
      await hours.waitFor();
      await timed("numbers of a week", async () => {
        await press("7 days");
        await page.getByRole("button", { name: "7 days", pressed: true }).waitFor();
        await page.locator(".charts [aria-busy=true]").waitFor({ state: "detached" });
      });
      await timed("hour of the week", async () => {
        await hours.locator("button[tabindex='0']").focus();
        await page.keyboard.press("ArrowLeft");
        await hours.locator("button:focus").waitFor();
      });
    });
    await visit("/settings/people", async () => {
      const more = page.getByRole("button", { name: `More for Person ${at % PEOPLE}`, exact: true });
      await more.waitFor();
      await timed("change a person", async () => {
        await more.click();
        await press("Edit");
        await page.getByRole("dialog", { name: /^Edit / }).waitFor();
      });
    });
    await visit("/settings/trail", async () => {
      await page.getByRole("list").getByRole("listitem").first().waitFor();
      await timed("older acts", async () => {
        await press("Older");
        await page.getByRole("button", { name: "Newer" }).and(page.locator(":enabled")).waitFor();
      });
    });
  }
  return { times, layoutShifts };
}

/** Notes the slowest press and how far the page has moved by itself. */
const watching = `
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

/** Waits until the browser has told of all that was drawn. */
async function settled(page: Page, what: string): Promise<unknown> {
  return page.evaluate(`new Promise((resolve) => {
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(${what}), 100)));
  })`);
}
