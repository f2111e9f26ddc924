import { readFile } from "node:fs/promises";
import type { CreateUser } from "loyalty-kit";
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { findViolations, isOverflowing, openBrowser, openShop, signIn, visit } from "./shop.js";

const DAY = 86_400_000;
let now = Date.now() - 40 * DAY;

const [browser, shop] = await Promise.all([openBrowser(), openShop({ clock: () => now })]);

beforeAll(async () => {
  const { acme } = shop;
  const createCustomer = (at: number, input: Partial<CreateUser> = {}) =>
    acme.users.create({ email: `c${at}@example.com`, ...input });
  const createStampedPass = async (userId: string, count: number) => {
    const { id } = await acme.passes.create(card.id, { userId });
    await acme.stamps.add(id, { count });
    return id;
  };
  const card = await acme.templates.create({ name: "Coffee card", type: "STAMP_CARD", maxStamps: 2 });
  const users = [await createCustomer(11, { phone: "+43 1 234" }), await createCustomer(1)];
  await createStampedPass(users[1]?.id ?? "", 1);
  now = Date.now();
  const birthday = new Date(now).toISOString().slice(0, 10);
  for (const at of [0, 2, 3, 4, 5, 6, 7, 8, 9, 10]) {
    users.push(
      await createCustomer(at, at === 0 ? { metadata: { birthday, address: { city: "Vienna" } } } : {}),
    );
  }
  const userIdAt = (at: number) => users.find(({ email }) => email === `c${at}@example.com`)?.id ?? "";
  const passIdInWallet = await createStampedPass(userIdAt(0), 2);
  await createStampedPass(userIdAt(2), 1);
  await acme.passes.markInstalled(passIdInWallet);
  await acme.subscriptions.put(userIdAt(0), {
    language: "de",
    email: { status: "SUBSCRIBED", text: "Yes, news please" },
  });
  for (const [each, name] of ["Regular", "Lunch", "Vegan"].entries()) {
    const { slug } = await acme.tags.create({ name });
    for (let at = 0; at < 12; at += 1) {
      if (at % (each + 2) === 0) await acme.tags.assign(userIdAt(at), slug);
    }
  }
});

const openSegments = async (query = "") => {
  const browserVisit = await visit(browser, { permissions: ["clipboard-read", "clipboard-write"] });
  await signIn(browserVisit.page, shop, `/console/segments-new${query}`);
  const { page } = browserVisit;
  const waitForTotal = (count: number) =>
    page
      .locator(".total")
      .filter({ hasText: `${count} customer` })
      .waitFor();
  return { ...browserVisit, waitForTotal };
};

/** Returns a function that adds a condition to a group by its kind, and returns its controls. */
const createAdder =
  (page: Page) =>
  async (group: string, kind: string): Promise<Locator> => {
    const conditionGroup = page.getByRole("group", { name: group, exact: true });
    await conditionGroup.getByRole("button", { name: "Add condition" }).last().click();
    await page.getByRole("dialog").getByRole("button", { name: kind }).click();
    return conditionGroup.getByRole("group", { name: kind, exact: true }).last();
  };

const NOTHING = "Add a condition to find customers.";

describe("the segment builder", () => {
  it("updates the exact total at each edit of a nested filter, and counts each part", async () => {
    const { page, complaints, waitForTotal, close } = await openSegments();
    const add = createAdder(page);
    await page.getByText(NOTHING).waitFor();
    const regular = await add("Filter", "Tag");
    await page.getByText("Complete or remove the marked conditions.").waitFor();
    await regular.getByRole("combobox").selectOption("Regular");
    await waitForTotal(6);
    await page.getByRole("button", { name: "Add group" }).click();
    const inner = page.getByRole("group", { name: "Group at level 2", exact: true });
    const lunch = await add("Group at level 2", "Tag");
    await lunch.getByRole("combobox").selectOption("Lunch");
    await waitForTotal(2);
    await page.getByRole("group", { name: "Tag" }).first().getByText("6 customers match this").waitFor();
    await lunch.getByText("4 customers match this").waitFor();
    await page.getByText("Customers who have the tag “Regular” and who have the tag “Lunch”.").waitFor();
    await page.getByLabel("Group at level 2: how conditions combine").selectOption("none of");
    await waitForTotal(4);
    await inner.getByText("8 customers match this").waitFor();
    await page.getByLabel("Filter: how conditions combine").selectOption("any of");
    await waitForTotal(10);
    await page.getByRole("button", { name: "Remove group" }).click();
    await waitForTotal(6);
    await page.getByRole("button", { name: "Remove Tag" }).click();
    await page.getByText(NOTHING).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("offers common groups of customers to start with, and combines conditions once there are two", async () => {
    const { page, waitForTotal, close } = await openSegments();
    const ready = page.getByRole("region", { name: "Start with" });
    const operator = page.getByLabel("Filter: how conditions combine");
    const readChoices = () => operator.locator("option").allInnerTexts();
    await ready.getByRole("button", { name: "Not here for a month" }).waitFor();
    await ready.getByRole("button", { name: "Birthday this month" }).waitFor();
    await expect.poll(() => operator.isVisible()).toBe(false);
    await ready.getByRole("button", { name: "Reward waiting" }).click();
    await waitForTotal(1);
    await expect.poll(() => ready.count()).toBe(0);
    await expect.poll(readChoices).toEqual(["match this", "don’t match this"]);
    await operator.selectOption("don’t match this");
    await waitForTotal(11);
    const tag = await createAdder(page)("Filter", "Tag");
    await tag.getByRole("combobox").selectOption("Regular");
    await expect.poll(readChoices).toEqual(["all of", "any of", "none of"]);
    await close();
  });

  it("shares the filter as a link, and accepts it as JSON", async () => {
    const { page, waitForTotal, close } = await openSegments();
    await page.getByText("Share these conditions").click();
    const json = page.getByLabel("As JSON, for developers");
    await json.fill('{"operator":"NOT","conditions":[{"slug":"vegan"}]}');
    await waitForTotal(9);
    const link = page.url();
    await json.fill("{ no filter");
    await page.getByText("This isn’t a valid filter.").waitFor();
    await page.goto("about:blank");
    await page.goto(link);
    await waitForTotal(9);
    await page.getByText("Share these conditions").click();
    await page.getByRole("button", { name: "Copy JSON" }).click();
    const copiedText = String(await page.evaluate("navigator.clipboard.readText()"));
    expect(JSON.parse(copiedText)).toEqual({ operator: "NOT", conditions: [{ slug: "vegan" }] });
    await close();
  });

  it("can be used with only the keyboard", async () => {
    const { page, complaints, waitForTotal, close } = await openSegments();
    const pressKeys = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await page.getByRole("button", { name: "Add condition" }).focus();
    await pressKeys("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Tag" }).focus();
    await pressKeys("Enter", "R");
    await waitForTotal(6);
    await page.getByRole("button", { name: "Add group" }).focus();
    await pressKeys("Enter");
    await page.getByRole("group", { name: "Group at level 2" }).getByText("Add condition").focus();
    await pressKeys("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Tag" }).focus();
    await pressKeys("Enter", "L");
    await waitForTotal(2);
    await page.getByLabel("Group at level 2: how conditions combine").focus();
    await pressKeys("n");
    await waitForTotal(4);
    const readFocusedText = () => page.evaluate("document.activeElement?.textContent.trim()");
    await page.getByRole("button", { name: "Remove Tag" }).first().focus();
    await pressKeys("Enter");
    await expect.poll(() => readFocusedText()).toBe("Add condition");
    expect(complaints).toEqual([]);
    await close();
  });

  it("can be used by touch, on a phone", async () => {
    const phone = await visit(browser, { viewport: { width: 360, height: 740 }, hasTouch: true });
    const { page } = phone;
    const filter = encodeURIComponent(
      '{"operator":"AND","conditions":[{"slug":"regular"},{"slug":"lunch"}]}',
    );
    await signIn(page, shop, `/console/segments?filter=${filter}`);
    const found = (count: number) =>
      page
        .locator(".total")
        .filter({ hasText: `${count} customer` })
        .waitFor();
    await found(2);
    await page.getByRole("button", { name: "Remove Tag" }).last().tap();
    await found(6);
    await page.getByRole("button", { name: "Add condition" }).tap();
    await page.getByRole("dialog").getByRole("button", { name: "Last visit" }).tap();
    const lastVisitGroup = page.getByRole("group", { name: "Last visit" });
    await lastVisitGroup.getByLabel("Comparison").selectOption("never");
    await found(4);
    await expect.poll(() => isOverflowing(page)).toBe(false);
    await phone.close();
  });

  it("supports every kind of condition, in a shop's words", async () => {
    const { page, complaints, waitForTotal, close } = await openSegments(
      `?filter=${encodeURIComponent('{"operator":"OR"}')}`,
    );
    const conditionCases: [
      kind: string,
      change: (row: Locator) => Promise<unknown>,
      words: string,
      count: number,
    ][] = [
      [
        "Last visit",
        (row) => row.getByLabel("Days").fill("29"),
        "whose last visit was more than 29 days ago",
        1,
      ],
      [
        "Number of visits",
        (row) => row.getByLabel("At least").fill("1"),
        "who visited at least once in the last 30 days",
        2,
      ],
      ["Reward waiting", async () => {}, "who have a reward waiting", 1],
      [
        "Stamps",
        (row) => row.getByLabel("Card").selectOption("Coffee card"),
        "who have the card “Coffee card”",
        3,
      ],
      ["Filled cards", async () => {}, "who have filled a card", 1],
      ["Card in a wallet", async () => {}, "whose card is in a wallet", 1],
      ["Tag", (row) => row.getByRole("combobox").selectOption("Vegan"), "who have the tag “Vegan”", 3],
      ["Sign-up date", async () => {}, "who signed up in the last 30 days", 10],
      ["Birthday", async () => {}, "whose birthday is this month", 1],
      ["Name, phone, or customer number", async () => {}, "who have a phone number", 1],
      ["News", async () => {}, "who opted in to news by email", 1],
      ["Language", (row) => row.getByRole("textbox").fill("de"), "whose language is German", 1],
      [
        "Your own notes",
        async (row) => {
          await row.getByLabel("Name of the note").fill("address.city");
          await row.getByLabel("Value").fill("Vienna");
        },
        "whose “address.city” is “Vienna”",
        1,
      ],
    ];
    for (const [kind, change, words, count] of conditionCases) {
      await page.getByRole("button", { name: "Add condition" }).click();
      await page.getByRole("dialog").getByRole("button", { name: kind }).click();
      const row = page.getByRole("group", { name: kind }).last();
      await change(row);
      await row.getByText(`${count} customer${count === 1 ? " matches" : "s match"} this`).waitFor();
      await page.locator(".sentence").filter({ hasText: words }).waitFor();
    }
    await waitForTotal(12);
    await expect.poll(() => findViolations(page)).toEqual([]);
    const link = page.url();
    await page.goto("about:blank");
    await page.goto(link);
    await waitForTotal(12);
    for (const [, , words] of conditionCases)
      await page.locator(".sentence").filter({ hasText: words }).waitFor();
    await expect.poll(() => page.getByRole("group", { name: "Custom condition" }).count()).toBe(0);
    expect(complaints).toEqual([]);
    await close();
  });

  it("shows at a condition what is missing or wrong, and counts the others", async () => {
    const { page, close } = await openSegments();
    const add = createAdder(page);
    const visits = await add("Filter", "Number of visits");
    await visits.getByText("0 customers match this").waitFor();
    await visits.getByLabel("Days").fill("731");
    await visits.getByText(/^Days: .*730/).waitFor();
    await visits.getByLabel("Days").fill("");
    await visits.getByText("Enter a whole number.").waitFor();
    const tag = await add("Filter", "Tag");
    await tag.getByText("Choose a tag.").waitFor();
    await tag.getByRole("combobox").selectOption("Lunch");
    await tag.getByText("4 customers match this").waitFor();
    await page.getByText("Complete or remove the marked conditions.").waitFor();
    await close();
  });

  it("preserves a condition that it has no controls for as it was written", async () => {
    const writtenFilter = {
      operator: "OR",
      conditions: [{ slug: "lunch" }, { visits: { days: 30, more: 1 } }],
    };
    const { page, close } = await openSegments(
      `?filter=${encodeURIComponent(JSON.stringify(writtenFilter))}`,
    );
    const other = page.getByRole("group", { name: "Custom condition" });
    await other.getByText('{"visits":{"days":30,"more":1}}').waitFor();
    await other.getByRole("alert").waitFor();
    await page.getByText("Share these conditions").click();
    await expect
      .poll(async () => JSON.parse(await page.getByLabel("As JSON, for developers").inputValue()))
      .toEqual(writtenFilter);
    await close();
  });

  it("requests at most three counts at a time, and only those that are needed", async () => {
    const conditions = ["regular", "lunch", "vegan", "a", "b", "c", "d", "e"].map((slug) => ({ slug }));
    const filter = encodeURIComponent(JSON.stringify({ operator: "OR", conditions }));
    const browserVisit = await visit(browser);
    const { page } = browserVisit;
    // This screen requests no counts.
    await signIn(page, shop, "/console/tags");
    let open = 0;
    let maxOpen = 0;
    let requestCount = 0;
    let answer = () => {};
    const isAnswered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route("**/segments/query", async (route) => {
      if (route.request().postDataJSON().size !== 0) return route.continue();
      requestCount += 1;
      open += 1;
      maxOpen = Math.max(maxOpen, open);
      // Holds the first three requests for a moment longer, so that a fourth would be noticed.
      if (open === 3) setTimeout(answer, 200);
      await isAnswered;
      const response = await route.fetch();
      open -= 1;
      await route.fulfill({ response });
    });
    await page.goto(`${shop.url}/console/segments?filter=${filter}`);
    await page.getByRole("group", { name: "Tag" }).nth(2).getByText("3 customers match this").waitFor();
    await expect.poll(() => page.getByText("0 customers match this").count()).toBe(5);
    expect([requestCount, maxOpen]).toEqual([8, 3]);
    await page.getByRole("button", { name: "Remove Tag" }).last().click();
    await page.getByRole("group", { name: "Tag" }).nth(6).waitFor();
    await page.getByLabel("Filter: how conditions combine").selectOption("all of");
    await page.locator(".total").filter({ hasText: "0 customers" }).waitFor();
    expect(requestCount).toBe(8);
    await browserVisit.close();
  });

  it("says that the filter in a link is invalid, and starts an empty one", async () => {
    const { page, waitForTotal, close } = await openSegments("?filter=%7B%22operator%22%3A%22XOR%22%7D");
    await page.getByText("The filter in this link isn’t valid.").waitFor();
    const tag = await createAdder(page)("Filter", "Tag");
    await tag.getByRole("combobox").selectOption("Regular");
    await waitForTotal(6);
    await close();
  });

  it("tags all matches with a new tag, and exports all of them", async () => {
    const filter = encodeURIComponent('{"operator":"AND","conditions":[{"slug":"lunch"}]}');
    const { page, waitForTotal, close } = await openSegments(`?filter=${filter}`);
    await waitForTotal(4);
    await page.getByRole("button", { name: "Tag all" }).click();
    await page.getByRole("dialog").getByLabel("Tag").fill("Invited");
    await page.getByRole("button", { name: "Tag 4 customers" }).click();
    await page.getByText("4 customers tagged “Invited”").waitFor();
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export all" }).click();
    const file = await readFile(await (await download).path(), "utf8");
    expect(file.trim().split("\r\n")).toHaveLength(5);
    const { totalElements } = await shop.acme.tags.query({
      filter: { operator: "AND", conditions: [{ slug: "invited" }] },
    });
    expect(totalElements).toBe(4);
    await close();
  });
});
