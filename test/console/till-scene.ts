import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type Shop, signIn, visit } from "./shop.js";

/** Has a scanner type texts, each key a millisecond after the one before, wherever the focus is. */
export async function scanAtOnce(page: Page, ...texts: readonly string[]): Promise<void> {
  // A keyboard says itself when a key was pressed. A machine that is busy takes longer to hand the keys over, as somebody who types.
  await page.evaluate(`let timeStamp = performance.now();
  for (const key of ${JSON.stringify(texts.flatMap((text) => [...text, "Enter"]))}) {
    const at = document.activeElement ?? document.body;
    const pressed = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
    timeStamp += 1;
    Object.defineProperty(pressed, "timeStamp", { value: timeStamp });
    const isTaken = !at.dispatchEvent(pressed);
    if (!isTaken && key.length === 1 && at instanceof HTMLInputElement) {
      at.value += key;
      at.dispatchEvent(new Event("input", { bubbles: true }));
    }
  }`);
}

/** What somebody at the till sees at once. */
export interface Seen {
  readonly name: string;
  readonly isAsked: boolean;
  readonly isDone: boolean;
}

const seen = `(() => {
  // A moment after something came up no press counts.
  const isReady = document.querySelector(".till-actions .big[aria-disabled]") === null;
  return {
    isReady,
    name: document.querySelector(".till-name")?.textContent ?? "",
    isAsked: isReady && document.querySelector(".till-ask") !== null,
    isDone: isReady && document.querySelector(".outcome.good") !== null,
  };
})()`;

/** Waits in the page until what is seen is so, does something at that moment, and returns what was seen. */
export async function untilSeen(page: Page, isSo: string, then = ""): Promise<Seen> {
  return page.evaluate(`new Promise((resolve) => {
    const look = () => {
      const { isReady, name, isAsked, isDone } = ${seen};
      const isWaiting = document.querySelector(".till-waiting") !== null;
      if (!(${isSo})) return setTimeout(look, 2);
      ${then};
      resolve({ name, isAsked, isDone });
    };
    look();
  })`);
}

/** What presses the button whose text begins so. */
export const pressing = (text: string) =>
  `[...document.querySelectorAll("button")].find(({ textContent }) => textContent.startsWith("${text}")).click()`;

/** A phone at the till of a shop, as the shop chose it to be. */
export async function visitTill(
  browser: Browser,
  shop: Shop,
  choices: Readonly<Record<string, boolean>> = {},
  options: BrowserContextOptions = {},
) {
  const visited = await visit(browser, { viewport: { width: 390, height: 700 }, ...options });
  const { page } = visited;
  await page.addInitScript(
    `localStorage.getItem("loyalty-till-choices/console") ??
      localStorage.setItem("loyalty-till-choices/console", ${JSON.stringify(JSON.stringify(choices))})`,
  );
  await signIn(page, shop, "/console/till");
  await page.getByLabel("Code, name, phone, or email").waitFor();
  return {
    ...visited,
    scan: (...codes: readonly string[]) => scanAtOnce(page, ...codes),
    press: (name: string) => page.getByRole("button", { name, exact: true }).click(),
    shows: (name: string) => page.locator(".till-name").getByText(name, { exact: true }).waitFor(),
    done: (text: string) => page.getByRole("status").getByText(text).waitFor(),
  };
}
