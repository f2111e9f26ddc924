import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { openBrowser, openShop, signIn, visit } from "./shop.js";

const [browser, shop] = await Promise.all([openBrowser(), openShop()]);

beforeAll(async () => {
  const tags = await Promise.all(
    ["Regular", "Lunch", "Vegan"].map((name) => shop.acme.tags.create({ name })),
  );
  for (let at = 0; at < 12; at += 1) {
    const user = await shop.acme.users.create({ email: `c${at}@example.com` });
    for (const [each, tag] of tags.entries()) {
      if (at % (each + 2) === 0) await shop.acme.tags.assign(user.id, tag.slug);
    }
  }
});

const atSegments = async (query = "") => {
  const visited = await visit(browser, { permissions: ["clipboard-read", "clipboard-write"] });
  await signIn(visited.page, shop, `/console/segments${query}`);
  const { page } = visited;
  const total = (count: number) =>
    page
      .locator(".total")
      .filter({ hasText: `${count} customer` })
      .waitFor();
  return { ...visited, total };
};

describe("the segments screen", () => {
  it("follows each edit of a nested filter with the exact total", async () => {
    const { page, complaints, total, close } = await atSegments();
    await page.getByText("Add a tag to the filter to see whom it finds.").waitFor();
    await page.getByLabel("Filter: add a tag").selectOption("Regular");
    await total(6);
    await page.getByRole("button", { name: "Add a group" }).click();
    await page.getByLabel("Group at level 2: add a tag").selectOption("Lunch");
    await total(2);
    await page.getByLabel("Group at level 2: how its parts go together").selectOption("none of");
    await total(4);
    await page.getByLabel("Filter: how its parts go together").selectOption("any of");
    await total(10);
    await page.getByRole("button", { name: "Remove this group" }).click();
    await total(6);
    await page.getByRole("button", { name: "Remove Regular" }).click();
    await page.getByText("Add a tag to the filter to see whom it finds.").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("gives the filter as a link, and takes it as JSON", async () => {
    const { page, total, close } = await atSegments();
    await page.getByText("As JSON and as a link").click();
    const json = page.getByLabel("Filter as JSON");
    await json.fill('{"operator":"NOT","conditions":[{"slug":"vegan"}]}');
    await total(9);
    const link = page.url();
    await json.fill("{ no filter");
    await page.getByText("This is no filter yet.").waitFor();
    await page.goto("about:blank");
    await page.goto(link);
    await total(9);
    await page.getByText("As JSON and as a link").click();
    await page.getByRole("button", { name: "Copy JSON" }).click();
    const copied = String(await page.evaluate("navigator.clipboard.readText()"));
    expect(JSON.parse(copied)).toEqual({ operator: "NOT", conditions: [{ slug: "vegan" }] });
    await close();
  });

  it("is built with the keyboard alone, and with a finger", async () => {
    const { page, complaints, total, close } = await atSegments();
    const choose = async (label: string, key: string) => {
      await page.getByLabel(label).focus();
      await page.keyboard.press(key);
    };
    await choose("Filter: add a tag", "R");
    await total(6);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await choose("Group at level 2: add a tag", "L");
    await total(2);
    await choose("Group at level 2: how its parts go together", "n");
    await total(4);
    expect(complaints).toEqual([]);
    await close();

    const phone = await visit(browser, { viewport: { width: 360, height: 740 }, hasTouch: true });
    const filter = encodeURIComponent(
      '{"operator":"AND","conditions":[{"slug":"regular"},{"slug":"lunch"}]}',
    );
    await signIn(phone.page, shop, `/console/segments?filter=${filter}`);
    const found = (count: number) =>
      phone.page
        .locator(".total")
        .filter({ hasText: `${count} customer` })
        .waitFor();
    await found(2);
    await phone.page.getByRole("button", { name: "Remove Lunch" }).tap();
    await found(6);
    await phone.page.getByRole("button", { name: "Add a group" }).tap();
    await phone.page.getByLabel("Group at level 2: add a tag").selectOption("Lunch");
    await found(2);
    await phone.close();
  });

  it("says that a link has no filter that can be read, and begins an empty one", async () => {
    const { page, total, close } = await atSegments("?filter=%7B%22operator%22%3A%22XOR%22%7D");
    await page.getByText("The link has no filter that can be read.").waitFor();
    await page.getByLabel("Filter: add a tag").selectOption("Regular");
    await total(6);
    await close();
  });

  it("tags all with a new tag, and exports all", async () => {
    const filter = encodeURIComponent('{"operator":"AND","conditions":[{"slug":"lunch"}]}');
    const { page, total, close } = await atSegments(`?filter=${filter}`);
    await total(4);
    await page.getByRole("button", { name: "Tag all" }).click();
    await page.getByRole("dialog").getByLabel("Tag").fill("Invited");
    await page.getByRole("button", { name: "Tag 4 customers" }).click();
    await page.getByText("4 customers tagged “Invited”").waitFor();
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export all" }).click();
    const file = await readFile(await (await saved).path(), "utf8");
    expect(file.trim().split("\r\n")).toHaveLength(5);
    const { totalElements } = await shop.acme.tags.query({
      filter: { operator: "AND", conditions: [{ slug: "invited" }] },
    });
    expect(totalElements).toBe(4);
    await close();
  });
});
