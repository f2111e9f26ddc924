import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type Shop, signIn, visit } from "./shop.js";

/** Types texts like a scanner: one key per millisecond, into the focused element. */
export async function scanTexts(page: Page, ...texts: readonly string[]): Promise<void> {
  // Key events carry the time of the press. A busy machine delivers the keys later, as if a person were typing.
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

/** The visible state of the till. */
export interface TillState {
  readonly name: string;
  readonly isAsked: boolean;
  readonly isDone: boolean;
}

const readStateScript = `(() => {
  // A moment after something came up no press counts.
  const isReady = document.querySelector(".till-actions .big[aria-disabled]") === null;
  return {
    isReady,
    name: document.querySelector(".till-name")?.textContent ?? "",
    isAsked: isReady && document.querySelector(".till-ask") !== null,
    isDone: isReady && document.querySelector(".outcome.good") !== null,
  };
})()`;

/** Waits in the page for a state, runs a script at that moment, and returns the state. */
export async function waitForState(page: Page, isSo: string, action = ""): Promise<TillState> {
  return page.evaluate(`new Promise((resolve) => {
    const look = () => {
      const { isReady, name, isAsked, isDone } = ${readStateScript};
      const isWaiting = document.querySelector(".till-waiting") !== null;
      if (!(${isSo})) return setTimeout(look, 2);
      ${action};
      resolve({ name, isAsked, isDone });
    };
    look();
  })`);
}

/** Builds a script that presses the button whose text begins with this. */
export const pressScript = (text: string) =>
  `[...document.querySelectorAll("button")].find(({ textContent }) => textContent.startsWith("${text}")).click()`;

/** Opens a shop's till on a phone, with these choices of the shop. */
export async function visitTill(
  browser: Browser,
  shop: Shop,
  choices: Readonly<Record<string, boolean>> = {},
  options: BrowserContextOptions = {},
) {
  const browserVisit = await visit(browser, { viewport: { width: 390, height: 700 }, ...options });
  const { page } = browserVisit;
  await page.addInitScript(
    `localStorage.getItem("loyalty-till-choices/console") ??
      localStorage.setItem("loyalty-till-choices/console", ${JSON.stringify(JSON.stringify(choices))})`,
  );
  await signIn(page, shop, "/console/till");
  await page.getByLabel("Code, name, phone, or email").waitFor();
  return {
    ...browserVisit,
    scanCodes: (...codes: readonly string[]) => scanTexts(page, ...codes),
    pressButton: (name: string) => page.getByRole("button", { name, exact: true }).click(),
    waitForName: (name: string) => page.locator(".till-name").getByText(name, { exact: true }).waitFor(),
    waitForStatus: (text: string) => page.getByRole("status").getByText(text).waitFor(),
  };
}
