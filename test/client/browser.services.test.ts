import { expect, it } from "vitest";
import { openBrowser, visit } from "../console/shop.js";
import { buildProgram, expectedOutcome, startServer } from "./elsewhere.js";

it("a page in a browser gets the library's own interface, errors and streamed lists, and repeats no change", async () => {
  const server = await startServer();
  const { page, complaints } = await visit(await openBrowser());
  await page.goto(server.url);
  const actualOutcome = await page.evaluate(`(async () => {
    const { createClient, isLoyaltyError } = await import("/client.js");
    ${buildProgram(server)}
  })()`);
  expect(actualOutcome).toEqual(expectedOutcome);
  expect(complaints).toEqual([]);
});
