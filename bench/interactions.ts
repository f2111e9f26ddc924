import type { Organization } from "loyalty-kit";
import type { Page } from "playwright-core";

/** The shortest time that a browser reports, in milliseconds: faster presses count as this. */
const TOLD_FROM_MS = 16;

/** The most frequent actions in the console. */
export const mainActions = [
  "stamp",
  "next",
  "search",
  "open customer",
  "create",
  "numbers of a week",
  "more numbers",
  "hour of the week",
  "change a person",
  "older acts",
] as const;

/** This many people cause more acts than one page has. */
const PEOPLE = 25;

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
  samples: number,
): Promise<Interactions> {
  await page.addInitScript(observerScript);
  const times: Record<MainAction, number[]> = {
    stamp: [],
    next: [],
    search: [],
    "open customer": [],
    create: [],
    "numbers of a week": [],
    "more numbers": [],
    "hour of the week": [],
    "change a person": [],
    "older acts": [],
  };
  const layoutShifts: number[] = [];
  const timeAction = async (action: MainAction, work: () => Promise<void>) => {
    await page.evaluate("window.slowest = 0");
    await work();
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
  const pressButton = (name: string | RegExp) => page.getByRole("button", { name, exact: true }).click();

  await visitPage("/till", async () => {
    const field = page.getByLabel("Code, name, phone, or email");
    for (let at = 0; at < samples; at += 1) {
      const user = { email: `timed-${at}@example.com`, name: `Timed ${at}` };
      const { qrCodeValue } = await acme.passes.create(templateId, { user });
      await field.fill(qrCodeValue);
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "Add 1 stamp" }).and(page.locator(":enabled")).waitFor();
      await timeAction("stamp", async () => {
        await pressButton("Add 1 stamp");
        await page.getByRole("status").getByText("+1 stamp").waitFor();
      });
      await timeAction("next", async () => {
        await pressButton("Next customer");
        await page.getByText("Scan a card.").waitFor();
      });
    }
  });
  for (let at = 0; at < samples; at += 1) {
    await visitPage("/customers", async () => {
      const field = page.getByLabel("Search customers");
      await page.locator("tbody tr").first().waitFor();
      await timeAction("search", async () => {
        await field.pressSequentially(`Timed ${at}`);
        await page.getByRole("link", { name: `Timed ${at}`, exact: true }).waitFor();
      });
      await timeAction("open customer", async () => {
        await page.getByRole("link", { name: `Timed ${at}`, exact: true }).click();
        await page.getByRole("heading", { name: `Timed ${at}`, exact: true }).waitFor();
      });
    });
    await visitPage("/customers", async () => {
      await page.locator("tbody tr").first().waitFor();
      await timeAction("create", async () => {
        await pressButton("Add customer");
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
    await visitPage("", async () => {
      await page.getByRole("list", { name: "The last 30 days" }).waitFor();
      await timeAction("numbers of a week", async () => {
        await pressButton("7 days");
        await page.getByRole("list", { name: "The last 7 days" }).waitFor();
      });
      const hours = page.locator(".hours");
      await timeAction("more numbers", async () => {
        await pressButton("More numbers");
        await hours.waitFor();
      });
      await timeAction("hour of the week", async () => {
        await hours.locator("button[tabindex='0']").focus();
        await page.keyboard.press("ArrowLeft");
        await hours.locator("button:focus").waitFor();
      });
    });
    await visitPage("/settings/people", async () => {
      const moreButton = page.getByRole("button", { name: `More for Person ${at % PEOPLE}`, exact: true });
      await moreButton.waitFor();
      await timeAction("change a person", async () => {
        await moreButton.click();
        await pressButton("Edit");
        await page.getByRole("dialog", { name: /^Edit / }).waitFor();
      });
    });
    await visitPage("/settings/trail", async () => {
      await page.getByRole("list").getByRole("listitem").first().waitFor();
      await timeAction("older acts", async () => {
        await pressButton("Older");
        await page.getByRole("button", { name: "Newer" }).and(page.locator(":enabled")).waitFor();
      });
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
