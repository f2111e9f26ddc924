import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { openMailShop } from "./mail-shop.js";
import { openBrowser, signIn, visit, visitSignedIn } from "./shop.js";

const DAY_MINUTES = 1_440;

const [browser, shop] = await Promise.all([openBrowser(), openMailShop()]);
const { acme, loyalty } = shop;

const at = (path: string, token?: string) => visitSignedIn(browser, shop, path, token);

/** Another shop, which ends with its test. */
async function openOther() {
  const other = await openMailShop();
  const end = async () => {
    await other.mail.close();
    await other.close();
  };
  return { ...other, end };
}

/** A customer who gets mails of automations. */
async function subscriber(name: string) {
  const customer = await shop.customer(name);
  await acme.subscriptions.put(customer.userId, { email: { status: "SUBSCRIBED", text: "News, please" } });
  return customer;
}

/** Opens the form of a ready automation, fills it, and makes it. */
async function make(page: Page, name: string, fill: () => Promise<void> = async () => {}) {
  await page.getByRole("region", { name: "Templates" }).getByRole("button", { name }).click();
  await page.getByRole("dialog", { name }).waitFor();
  await fill();
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText(`“${name}” is now on`).waitFor();
  await line(page, name).waitFor();
}

const line = (page: Page, name: string) =>
  page
    .getByRole("list", { name: "Automations" })
    .getByRole("listitem")
    .filter({ has: page.getByRole("link", { name, exact: true }) });

/** What came of an automation so far, newest first. */
async function runsOf(name: string) {
  await loyalty.runAutomations();
  const id = (await acme.automations.list()).find((automation) => automation.name === name)?.id ?? "";
  const { content } = await acme.automations.runs(id);
  return content.map(({ userId, status, reason }) => [userId, status, reason]);
}

const subjectsTo = async (email: string, count: number) =>
  (await shop.mailedTo(email, count)).map(({ subject }) => subject);

beforeAll(async () => {
  // It is noon, so that nothing of a test is of another day.
  const sinceMidnight = ((Date.now() / 60_000) % DAY_MINUTES) - 120;
  shop.setAhead((DAY_MINUTES * 1.5 - sinceMidnight) % DAY_MINUTES);
  await acme.settings.update({ timeZone: "UTC" });
  await acme.messageSettings.update({ cap: null });
});

describe("the automations that are ready", () => {
  it("are made by one press each, and do what they say", async () => {
    const { page, complaints, close } = await at("/console");
    await page.getByRole("link", { name: "Automations" }).click();
    await page.getByText("No automations yet").waitFor();
    const dialog = page.getByRole("dialog");
    await make(page, "Welcome", async () => {
      await dialog.getByLabel("Bonus stamps").fill("1");
      await dialog.getByLabel("Email subject").fill("Hello there, {name}");
    });
    await line(page, "Welcome").getByText("hasn’t run yet").waitFor();
    await make(page, "Nearly full");
    await make(page, "Reward waiting");
    await make(page, "Birthday", async () => {
      await dialog.getByLabel("Note with the birthday").fill("born");
      await dialog.getByLabel("Time of day").fill("09:00");
      await dialog.getByLabel("Also give a reward").check();
    });
    await make(page, "Win back", async () => {
      await dialog.getByText("Also creates the segment “No visit in 60 days”").waitFor();
    });
    await line(page, "Nearly full")
      .getByText("When a customer is 1 stamp away from a reward on “Coffee”: send them a message by email.")
      .waitFor();
    await line(page, "Birthday")
      .getByText(
        "Every year on “born”, at 09:00: give them a reward on “Coffee” and send them a message by email.",
      )
      .waitFor();
    await page
      .getByRole("button", { name: /^Welcome.*You already have “Welcome”, which does this\./ })
      .waitFor();
    await expect
      .poll(() => acme.segments.list())
      .toMatchObject([{ name: "No visit in 60 days", slug: "no-visit-in-60-days", emitsEvents: true }]);

    const ada = await subscriber("Ada");
    const bob = await shop.customer("Bob");
    const today = Date.parse((await acme.users.get(bob.userId)).createdAt);
    const birthday = new Date(today + DAY_MINUTES * 60_000).toISOString().slice(5, 10);
    await acme.users.update(ada.userId, { metadata: { born: `1990-${birthday}` } });
    await expect
      .poll(() => runsOf("Welcome"))
      .toEqual([
        [bob.userId, "DONE", null],
        [ada.userId, "DONE", null],
      ]);
    await expect.poll(() => subjectsTo(ada.email, 1)).toEqual(["Hello there, Ada"]);
    await expect.poll(() => acme.stamps.state(ada.passId)).toMatchObject({ currentStamps: 1 });

    await acme.stamps.add(ada.passId, { count: 3 });
    await expect.poll(() => runsOf("Nearly full")).toEqual([[ada.userId, "DONE", null]]);
    await expect.poll(() => subjectsTo(ada.email, 2)).toContain("Only 1 more until your reward");
    await acme.stamps.add(ada.passId, { count: 1 });
    await acme.stamps.add(bob.passId, { count: 4 });
    await expect
      .poll(async () => (await runsOf("Reward waiting")).map(([, status]) => status))
      .toEqual(["WAITING", "WAITING"]);

    await page.reload();
    await line(page, "Welcome").getByText("2 runs, last run").waitFor();
    await line(page, "Reward waiting").getByRole("link").click();
    const log = page.getByRole("region", { name: "Runs" });
    await log.getByRole("listitem").filter({ hasText: "Bob" }).getByText("due ").waitFor();
    expect(complaints).toEqual([]);
    await close();

    await acme.stamps.redeem(bob.passId);
    shop.setAhead(DAY_MINUTES);
    await expect.poll(() => runsOf("Birthday")).toEqual([[ada.userId, "DONE", null]]);
    await expect.poll(() => acme.stamps.state(ada.passId)).toMatchObject({ rewardsAvailable: 2 });
    await expect.poll(() => subjectsTo(ada.email, 3)).toContain("Happy birthday, Ada!");
    shop.setAhead(6 * DAY_MINUTES + 60);
    await expect
      .poll(() => runsOf("Reward waiting"))
      .toEqual([
        [bob.userId, "SKIPPED", "condition"],
        [ada.userId, "DONE", null],
      ]);
    await expect.poll(() => subjectsTo(ada.email, 4)).toContain("Your reward is waiting, Ada");
    shop.setAhead(54 * DAY_MINUTES);
    await loyalty.refreshSegments({ acceptClock: true });
    await expect
      .poll(async () => new Set((await runsOf("Win back")).map(([userId]) => userId)))
      .toEqual(new Set([ada.userId, bob.userId]));
    await expect.poll(() => subjectsTo(ada.email, 5)).toContain("We miss you, Ada");

    const later = await at("/console/automations");
    await line(later.page, "Reward waiting").getByRole("link").click();
    const what = later.page.getByRole("region", { name: "Runs" });
    await what.getByText("the customer didn’t match the condition").waitFor();
    await later.page.getByLabel("Filter runs").selectOption("Done");
    await what.getByRole("listitem").filter({ hasText: "done" }).getByRole("link", { name: "Ada" }).click();
    await later.page.getByRole("heading", { name: "Ada" }).waitFor();
    expect(later.complaints).toEqual([]);
    await later.close();
  });

  it("say what is missing at its field, and what was typed stays", async () => {
    const { page, close } = await at("/console/automations");
    await page.getByRole("button", { name: /^Nearly full/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Stamps left").fill("");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByText("Enter a whole number.").waitFor();
    await dialog.getByLabel("Stamps left").fill("2");
    await dialog.getByLabel("Name", { exact: true }).fill("");
    await dialog.getByLabel("Email subject").fill("{nmae}");
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByText(/unknown placeholder/).waitFor();
    await expect
      .poll(() => dialog.getByLabel("Name", { exact: true }).getAttribute("aria-invalid"))
      .toBe("true");
    await expect.poll(() => dialog.getByLabel("Stamps left").inputValue()).toBe("2");
    await close();
  });

  it("win back by the segment that is there, and finish what a lost answer has left half-made", async () => {
    const other = await openOther();
    const { page, complaints, close } = await visit(browser);
    await signIn(page, other, "/console/automations");
    await other.acme.segments.create({
      name: "No visit in 60 days",
      filter: { operator: "AND", conditions: [{ lastVisit: { never: true } }] },
    });
    await page.reload();
    await page.getByRole("button", { name: /^Win back/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Also creates the segment “No visit in 60 days (2)”").waitFor();
    await page.route("**/console/api/v1/automations", (route) =>
      route.request().method() === "POST" ? route.abort() : route.continue(),
    );
    await dialog.getByRole("button", { name: "Create" }).click();
    await dialog.getByText("The segment was created.").waitFor();
    await expect.poll(() => other.acme.automations.list()).toEqual([]);
    const { slug } = await other.acme.segments.get("no-visit-in-60-days-2");
    await other.acme.segments.update(slug, { emitsEvents: false });
    await page.unroute("**/console/api/v1/automations");
    await dialog.getByRole("button", { name: "Create" }).click();
    await page.getByText("“Win back” is now on").waitFor();
    await expect.poll(() => other.acme.automations.list()).toMatchObject([{ on: { segmentEntered: slug } }]);
    await expect.poll(async () => (await other.acme.segments.list()).length).toBe(2);
    await expect.poll(async () => (await other.acme.segments.get(slug)).emitsEvents).toBe(true);
    expect(complaints).toEqual([]);
    await Promise.all([close(), other.end()]);
  });
});

describe("an automation", () => {
  it("is switched off and on by one press each, and does nothing while it is off", async () => {
    const other = await openOther();
    const { id } = await other.acme.automations.create({
      name: "Hello",
      on: { event: "pass.created" },
      do: [{ addStamps: { templateId: other.template.id, count: 1 } }],
    });
    const stampsOf = async (passId: string) => {
      await other.loyalty.runAutomations();
      return (await other.acme.stamps.state(passId)).currentStamps;
    };
    const { page, complaints, close } = await visitSignedIn(browser, other, "/console/automations");
    const isOn = page.getByRole("switch", { name: "Hello" });
    await isOn.and(page.locator("[aria-checked=true]")).waitFor();
    await isOn.click();
    await page.getByText("“Hello” is now off").waitFor();
    await isOn.and(page.locator("[aria-checked=false]")).waitFor();
    const { passId: adas } = await other.customer("Ada");
    await expect.poll(() => stampsOf(adas)).toBe(0);
    await isOn.focus();
    await page.keyboard.press("Space");
    await page.getByText("“Hello” is now on").waitFor();
    await page.getByRole("button", { name: "Dismiss" }).first().click();
    const { passId: bobs } = await other.customer("Bob");
    await expect.poll(() => stampsOf(bobs)).toBe(1);
    await page.getByRole("link", { name: "Hello" }).click();
    await page.getByRole("switch", { name: "Hello" }).click();
    await page.getByText("“Hello” is now off").waitFor();
    await expect.poll(async () => (await other.acme.automations.get(id)).isEnabled).toBe(false);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete “Hello”" }).click();
    await page.getByText("No automations yet").waitFor();
    expect(complaints).toEqual([]);
    await Promise.all([close(), other.end()]);
  });

  it("of one's own is built, says what is missing, runs, is changed, and is not lost by leaving", async () => {
    const other = await openOther();
    await other.acme.tags.create({ name: "Regular" });
    await other.acme.segments.create({
      name: "Fans",
      filter: { operator: "AND", conditions: [{ stamps: { templateId: other.template.id } }] },
      emitsEvents: true,
    });
    const { page, complaints, close } = await visitSignedIn(browser, other, "/console/automations");
    await page.getByRole("link", { name: "New automation" }).click();
    await page.getByLabel("Name", { exact: true }).fill("Third visit");
    await page.getByLabel("Trigger").selectOption("A customer gets a stamp");
    await page.getByLabel("Stamps left until the reward").fill("2");
    await page.getByRole("button", { name: "Add condition" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Reward waiting" }).click();
    await page.getByLabel("Comparison").selectOption("at most");
    await page.getByLabel("At most").fill("0");
    await page.getByLabel("Action").selectOption("Add a tag");
    await page.getByRole("button", { name: "Add step" }).click();
    const second = page.getByRole("group", { name: "Step 2" });
    await second.getByLabel("Action").selectOption("Add stamps");
    await second.getByLabel("Stamps", { exact: true }).fill("");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("Choose an option.").waitFor();
    await second.getByText("Enter a whole number.").waitFor();
    await second.getByLabel("Stamps", { exact: true }).fill("2");
    await page.getByLabel("Tag", { exact: true }).selectOption("Regular");
    await page.getByLabel("Per customer").selectOption("Only once");
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByRole("heading", { name: "Third visit" }).waitFor();
    await page.getByText("When a customer is 2 stamps away from a reward on “Coffee”").waitFor();
    await page.getByText("Only for customers who have at most 0 rewards waiting").waitFor();

    const ada = await other.customer("Ada");
    await other.acme.stamps.add(ada.passId, { count: 3 });
    await other.loyalty.runAutomations();
    await expect.poll(() => other.acme.tags.ofUser(ada.userId)).toMatchObject([{ slug: "regular" }]);
    await expect.poll(() => other.acme.stamps.state(ada.passId)).toMatchObject({ rewardsAvailable: 1 });

    const [made] = await other.acme.automations.list();
    await page.getByRole("link", { name: "Edit" }).click();
    await page.getByRole("button", { name: "Remove step 2" }).click();
    await page.getByLabel("Trigger").selectOption("A customer enters a segment");
    await page.getByRole("link", { name: "Third visit" }).click();
    await page.getByRole("button", { name: "Stay" }).click();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Fix the marked fields, then save again.").waitFor();
    await page.getByLabel("Segment", { exact: true }).selectOption("Fans");
    await page.getByLabel("Delay in days").fill("31");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByLabel("Delay in days").and(page.locator("[aria-invalid=true]")).waitFor();
    await page.getByLabel("Delay in days").fill("30");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("Saved. Runs in progress continue with the previous version.").waitFor();
    await page.getByText("When a customer enters the segment “Fans”, 30 days later").waitFor();
    await expect
      .poll(() => other.acme.automations.list())
      .toMatchObject([
        {
          ...made,
          version: 2,
          updatedAt: expect.any(String),
          on: { segmentEntered: "fans" },
          after: 30,
          do: [{}],
        },
      ]);
    expect(complaints).toEqual([]);
    await Promise.all([close(), other.end()]);
  });

  it("starts by stamps of a card that has them, which the start that was chosen before need not have", async () => {
    const other = await openOther();
    await other.acme.templates.create({ name: "Members", type: "LOYALTY_CARD" });
    const { page, complaints, close } = await visitSignedIn(browser, other, "/console/automations");
    await page.getByRole("link", { name: "New automation" }).click();
    const [start, card] = [page.getByLabel("Trigger"), page.getByLabel("Card", { exact: true }).first()];
    await start.selectOption("A customer gets a card");
    await card.selectOption("Members");
    await start.selectOption("A customer gets a stamp");
    await expect.poll(() => card.locator("option").allTextContents()).toEqual(["Any card", "Coffee"]);
    await expect.poll(() => card.inputValue()).toBe("");
    await card.selectOption("Coffee");
    await start.selectOption("A card is full");
    await expect.poll(() => card.inputValue()).toBe(other.template.id);
    expect(complaints).toEqual([]);
    await Promise.all([close(), other.end()]);
  });

  it("is tried with one customer: it says why not, and what each step would do, and does nothing", async () => {
    const other = await openOther();
    const [ada, bob] = [await other.customer("Ada"), await other.customer("Bob")];
    await other.acme.users.update(ada.userId, { metadata: { city: "Graz" } });
    const { slug } = await other.acme.tags.create({ name: "Local" });
    const texts = [{ language: "en", subject: "Hello", text: "Hello" }];
    const { id } = await other.acme.automations.create({
      name: "Locals",
      on: { event: "stamp.added" },
      if: { operator: "AND", conditions: [{ metadata: { path: ["city"], equals: "Graz" } }] },
      do: [{ assignTag: slug }, { message: { channels: ["email"], texts } }],
    });
    const { page, complaints, close } = await visitSignedIn(browser, other, `/console/automations/${id}`);
    await page.getByRole("button", { name: "Try it" }).click();
    const dialog = page.getByRole("dialog");
    const choose = async (name: string) => {
      await dialog.getByLabel("Customer").fill(name);
      await dialog.getByRole("button", { name: new RegExp(`${name}@`, "i") }).click();
    };
    await choose("bob");
    await dialog.getByText("It wouldn’t run for Bob: the customer doesn’t match the condition").waitFor();
    const condition = dialog.getByRole("region", { name: "Condition" });
    await condition.getByText("whose city is “Graz”").waitFor();
    await condition.getByText("not set").waitFor();
    await choose("ada");
    await dialog.getByText("It would run for Ada.").waitFor();
    const steps = dialog.getByRole("region", { name: "Actions" }).getByRole("listitem");
    await steps.filter({ hasText: "add the tag “Local”" }).getByText("would run").waitFor();
    await steps.getByText("not sent by email: the customer hasn’t opted in to news").waitFor();
    await expect.poll(() => other.acme.tags.ofUser(ada.userId)).toEqual([]);
    await other.acme.automations.update(id, { isEnabled: false });
    await choose("bob");
    await dialog.getByText("It wouldn’t run for Bob: it is turned off.").waitFor();
    expect(bob.userId).not.toBe(ada.userId);
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect.poll(async () => (await other.acme.automations.runs(id)).content).toEqual([]);
    expect(complaints).toEqual([]);
    await Promise.all([close(), other.end()]);
  });

  it("stands with what it did on the screen of its customer, and where its segment can't be deleted", async () => {
    const other = await openOther();
    const { slug: fans } = await other.acme.tags.create({ name: "Fans" });
    const { slug } = await other.acme.segments.create({
      name: "Fans",
      filter: { operator: "AND", conditions: [{ slug: fans }] },
      emitsEvents: true,
    });
    const stamps = { templateId: other.template.id, count: 1 };
    const { id } = await other.acme.automations.create({
      name: "Gift for fans",
      on: { segmentEntered: slug },
      do: [{ addStamps: stamps }],
    });
    const ada = await other.customer("Ada");
    await other.acme.tags.assign(ada.userId, fans);
    await other.loyalty.refreshSegments();
    await other.loyalty.runAutomations();
    const { page, complaints, close } = await visitSignedIn(browser, other, ada.path);
    const done = page.getByRole("region", { name: "Automations" });
    await done.getByRole("button", { name: "Show runs" }).click();
    const run = done.getByRole("listitem");
    await run.getByText("done", { exact: true }).waitFor();
    await run.getByRole("link", { name: "Gift for fans" }).click();
    await page.getByRole("heading", { name: "Gift for fans" }).waitFor();
    await page.goto(`${other.url}/console/segments/${slug}`);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete “Fans”" }).click();
    await page.getByRole("dialog").getByText("This segment can’t be deleted because it’s used by:").waitFor();
    await page.getByRole("dialog").getByRole("link", { name: "Gift for fans" }).click();
    await page.getByRole("heading", { name: "Gift for fans" }).waitFor();
    await other.acme.automations.delete(id);
    await page.goto(other.url + ada.path);
    await done.getByRole("button", { name: "Show runs" }).click();
    await done.getByText("a deleted automation").waitFor();
    expect(complaints).toEqual([]);
    await Promise.all([close(), other.end()]);
  });

  it("stays as it is for a token that may not do what it does, and says so", async () => {
    const other = await openOther();
    await other.acme.automations.create({
      name: "Gift",
      isEnabled: false,
      on: { event: "pass.created" },
      do: [{ addStamps: { templateId: other.template.id, count: 1 } }],
    });
    const token = await other.tokenWith("automation:manage");
    const { page, close } = await visitSignedIn(browser, other, "/console/automations", token);
    await page.getByRole("switch", { name: "Gift" }).click();
    await page.getByText("You don’t have permission to do this. It requires pass:read.").waitFor();
    await page.getByRole("switch", { name: "Gift" }).and(page.locator("[aria-checked=false]")).waitFor();
    await expect.poll(() => page.getByRole("region", { name: "Templates" }).count()).toBe(0);
    const stranger = await visitSignedIn(browser, other, "/console", await other.tokenWith("user:read"));
    await expect.poll(() => stranger.page.getByRole("link", { name: "Automations" }).count()).toBe(0);
    await Promise.all([close(), stranger.close(), other.end()]);
  });
});
