import { beforeAll, describe, expect, it } from "vitest";
import { findViolations, isOverflowing, openBrowser, openShop, visitSignedIn } from "./shop.js";

const [browser, shop] = await Promise.all([openBrowser(), openShop()]);
const { acme } = shop;

beforeAll(async () => {
  for (const name of ["Regular", "Regulars", "Nut allergy"]) await acme.tags.create({ name });
  for (let at = 0; at < 3; at += 1) {
    const { id } = await acme.users.create({ email: `${at}@example.com`, name: `Customer ${at}` });
    await acme.tags.assign(id, at < 2 ? "regular" : "regulars");
    if (at === 1) await acme.tags.assign(id, "regulars");
  }
});

const openTags = () => visitSignedIn(browser, shop, "/console/tags");

describe("tags", () => {
  it("show how many customers have them, with a link to those customers", async () => {
    const { page, complaints, close } = await openTags();
    const line = page.getByRole("listitem").filter({ hasText: "Regulars" });
    await line.getByRole("link", { name: "2 customers" }).click();
    await page.getByText("1–2 of 2 customers").waitFor();
    await expect.poll(() => page.getByLabel("With the tag").inputValue()).toBe("regulars");
    expect(complaints).toEqual([]);
    await close();
  });

  it("are created, renamed, described, colored and deleted", async () => {
    const { page, complaints, close } = await openTags();
    await page.getByRole("button", { name: "New tag" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("Regular");
    await dialog.getByRole("button", { name: "Add" }).click();
    await dialog.getByText("Another tag already has this name.").waitFor();
    await dialog.getByLabel("Name").fill("Students");
    await dialog.getByRole("button", { name: "Add" }).click();
    await page.getByText("“Students” was saved").waitFor();
    await page.getByRole("button", { name: "More for Students" }).click();
    await expect
      .poll(async () => [await findViolations(page), await isOverflowing(page)])
      .toEqual([[], false]);
    await page.getByRole("button", { name: /^Edit/ }).click();
    await dialog.getByLabel("Name").fill("Pupils");
    await dialog.getByLabel("Description").fill("With a card of their school");
    await dialog.getByLabel("Color").fill("#14703a");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("With a card of their school").waitFor();
    await expect
      .poll(() => acme.tags.get("students"))
      .toMatchObject({
        name: "Pupils",
        color: "#14703A",
        description: "With a card of their school",
      });
    await page.getByRole("button", { name: "More for Pupils" }).click();
    await page.getByRole("button", { name: /^Delete/ }).click();
    await dialog.getByText("0 customers will lose it,").waitFor();
    await dialog.getByRole("button", { name: "Delete “Pupils”" }).click();
    await page.getByText("The tag “Pupils” was deleted").waitFor();
    await expect(acme.tags.get("students")).rejects.toThrow();
    expect(complaints).toEqual([]);
    await close();
  });

  it("are merged in a dialog that shows how many customers have one as soon as that is known", async () => {
    const { page, complaints, close } = await openTags();
    let resume = () => {};
    const isCounted = new Promise<void>((resolve) => {
      resume = resolve;
    });
    await page.route("**/user-tags/query", async (route) => {
      await isCounted;
      await route.continue();
    });
    await page.reload();
    await page.getByRole("button", { name: "More for Regulars" }).click();
    await page.getByRole("button", { name: /^Merge/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Customers with “Regulars” will get “Regular” instead.").waitFor();
    resume();
    await dialog.getByText("2 customers with “Regulars” will get “Regular” instead.").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("are merged as a whole, or not at all if the request fails, and then on a retry", async () => {
    const { page, complaints, close } = await openTags();
    const mergeTags = async () => {
      await page.getByRole("button", { name: "More for Regulars" }).click();
      await page.getByRole("button", { name: /^Merge/ }).click();
      await page.getByLabel("Into", { exact: true }).selectOption("Regular");
    };
    const dialog = page.getByRole("dialog");
    await mergeTags();
    await dialog.getByText("2 customers with “Regulars” will get “Regular” instead.").waitFor();
    await dialog.getByText("If you lose the connection, check whether “Regulars” still exists.").waitFor();
    await expect.poll(() => findViolations(page)).toEqual([]);
    await page.route("**/user-tags/regulars/merge", (route) => route.abort());
    await dialog.getByRole("button", { name: "Merge into “Regular”" }).click();
    await page.getByText("The server can’t be reached.").waitFor();
    await page.unroute("**/user-tags/regulars/merge");
    await dialog.getByRole("button", { name: "Merge into “Regular”" }).click();
    await page.getByText("Added “Regular” to 1 customer, 1 customer already had it").waitFor();
    await page.getByRole("link", { name: "3 customers" }).waitFor();
    await expect
      .poll(async () => (await acme.tags.list()).map(({ slug }) => slug))
      .toEqual(["regular", "nut-allergy"]);
    expect(complaints).toEqual([]);
    await close();
  });

  it("are paged, and found by name, if there are many, and each page requests only its own counts", async () => {
    for (let at = 10; at < 40; at += 1) await acme.tags.create({ name: `Group ${at}` });
    const { page, close } = await openTags();
    await page.getByText("1–20 of 32").waitFor();
    await page.getByRole("button", { name: "Older tags" }).click();
    await page.getByText("Nut allergy").waitFor();
    let requestCount = 0;
    page.on("request", (request) => {
      if (request.url().endsWith("/user-tags/query")) requestCount += 1;
    });
    await page.getByLabel("Search tags").fill("group 12");
    await page.getByRole("link", { name: "0 customers" }).waitFor();
    await page.getByLabel("Search tags").fill("no such");
    await page.getByText("No matching tags").waitFor();
    expect(requestCount).toBeLessThanOrEqual(21);
    await close();
  });

  it("are read-only for a token that may not change them", async () => {
    const token = await shop.createToken("user_tag:read");
    const { page, close } = await visitSignedIn(browser, shop, "/console/tags", token);
    await page.getByText("Group 39").waitFor();
    await expect.poll(() => page.getByRole("button", { name: /New tag|Change/ }).count()).toBe(0);
    await close();
  });
});
