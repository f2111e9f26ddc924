import { expect, it } from "vitest";
import { openBrowser, visit } from "../console/shop.js";
import { openServer, outcome, program } from "./elsewhere.js";

it("a page in a browser has the library's own interface, its errors, its lists as they come, and does nothing twice", async () => {
  const server = await openServer();
  const { page, complaints } = await visit(await openBrowser());
  await page.goto(server.url);
  const done = await page.evaluate(`(async () => {
    const { createClient, isLoyaltyError } = await import("/client.js");
    ${program(server)}
  })()`);
  expect(done).toEqual(outcome);
  expect(complaints).toEqual([]);
});
