import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { openMailShop } from "./mail-shop.js";
import { openBrowser, signIn, visit, visitSignedIn } from "./shop.js";

const DAY_MINUTES = 1_440;

const [browser, shop] = await Promise.all([openBrowser(), openMailShop()]);
const { acme, loyalty } = shop;

const at = (path: string, token?: string) => visitSignedIn(browser, shop, path, token);

/** Opens another shop, which its test closes. */
async function openOtherShop() {
  const other = await openMailShop();
  const closeShop = async () => {
    await other.mail.close();
    await other.close();
  };
  return { ...other, closeShop };
}

/** Creates a customer who agreed to emails. */
async function createSubscriber(name: string) {
  const customer = await shop.createCustomer(name);
  await acme.subscriptions.put(customer.userId, { email: { status: "SUBSCRIBED", text: "News, please" } });
  return customer;
}

/** Opens the form of an automation template, fills it in, and creates the automation. */
async function createFromTemplate(page: Page, name: string, fill: () => Promise<void> = async () => {}) {
  await page.getByRole("region", { name: "Templates" }).getByRole("button", { name }).click();
  await page.getByRole("dialog", { name }).waitFor();
  await fill();
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText(`“${name}” is now on`).waitFor();
  await findLine(page, name).waitFor();
}

const findLine = (page: Page, name: string) =>
  page
    .getByRole("list", { name: "Automations" })
    .getByRole("listitem")
    .filter({ has: page.getByRole("link", { name, exact: true }) });

/** Lists the automation's runs so far, newest first. */
async function listRuns(name: string) {
  await loyalty.runAutomations();
  const id = (await acme.automations.list()).find((automation) => automation.name === name)?.id ?? "";
  const { content } = await acme.automations.runs(id);
  return content.map(({ userId, status, reason }) => [userId, status, reason]);
}

const listSubjects = async (email: string, count: number) =>
  (await shop.waitForMails(email, count)).map(({ subject }) => subject);

beforeAll(async () => {
  // The time is set to noon so that no test runs into another day.
  const minutesSinceMidnight = ((Date.now() / 60_000) % DAY_MINUTES) - 120;
  shop.setAhead((DAY_MINUTES * 1.5 - minutesSinceMidnight) % DAY_MINUTES);
  await acme.settings.update({ timeZone: "UTC" });
  await acme.messageSettings.update({ cap: null });
});

describe("automation templates", () => {
  it("a created automation is listed as soon as the success message appears, before the list is reloaded", async () => {
    const other = await openOtherShop();
    const { page, close } = await visitSignedIn(browser, other, "/console/automations");
    await page.getByText("No automations yet").waitFor();
    let hasToLoad = () => {};
    const isHeld = new Promise<void>((resolve) => {
      hasToLoad = resolve;
    });
    await page.route("**/console/api/v1/automations", async (route) => {
      if (route.request().method() === "GET") await isHeld;
      await route.continue();
    });
    await page.getByRole("region", { name: "Templates" }).getByRole("button", { name: "Birthday" }).click();
    await page.getByRole("button", { name: "Create" }).click();
    await page.getByText("“Birthday” is now on").waitFor();
    await findLine(page, "Birthday").waitFor();
    await expect.poll(() => page.getByText("No automations yet").count()).toBe(0);
    hasToLoad();
    await close();
    await other.closeShop();
  });

  it("each template creates an automation with one button, and the automation does what the template says", async () => {
    const { page, complaints, close } = await at("/console");
    await page.getByRole("link", { name: "Automations" }).click();
    await page.getByText("No automations yet").waitFor();
    const dialog = page.getByRole("dialog");
    await createFromTemplate(page, "Welcome", async () => {
      await dialog.getByLabel("Bonus stamps").fill("1");
      await dialog.getByLabel("Email subject").fill("Hello there, {name}");
    });
    await findLine(page, "Welcome").getByText("Hasn’t run yet").waitFor();
    await createFromTemplate(page, "Nearly full");
    await createFromTemplate(page, "Reward waiting");
    await createFromTemplate(page, "Birthday", async () => {
      await dialog.getByLabel("Note with the birthday").fill("born");
      await dialog.getByLabel("Time of day").fill("09:00");
      await dialog.getByLabel("Also give a reward").check();
    });
    await createFromTemplate(page, "Win back", async () => {
      await dialog.getByText("Also creates the segment “No visit in 60 days”").waitFor();
    });
    await findLine(page, "Nearly full")
      .getByText("When a customer is 1 stamp away from a reward on “Coffee”: send them a message by email.")
      .waitFor();
    await findLine(page, "Birthday")
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

    const ada = await createSubscriber("Ada");
    const bob = await shop.createCustomer("Bob");
    const today = Date.parse((await acme.users.get(bob.userId)).createdAt);
    const birthday = new Date(today + DAY_MINUTES * 60_000).toISOString().slice(5, 10);
    await acme.users.update(ada.userId, { metadata: { born: `1990-${birthday}` } });
    await expect
      .poll(() => listRuns("Welcome"))
      .toEqual([
        [bob.userId, "DONE", null],
        [ada.userId, "DONE", null],
      ]);
    await expect.poll(() => listSubjects(ada.email, 1)).toEqual(["Hello there, Ada"]);
    await expect.poll(() => acme.stamps.state(ada.passId)).toMatchObject({ currentStamps: 1 });

    await acme.stamps.add(ada.passId, { count: 3 });
    await expect.poll(() => listRuns("Nearly full")).toEqual([[ada.userId, "DONE", null]]);
    await expect.poll(() => listSubjects(ada.email, 2)).toContain("Only 1 more until your reward");
    await acme.stamps.add(ada.passId, { count: 1 });
    await acme.stamps.add(bob.passId, { count: 4 });
    await expect
      .poll(async () => (await listRuns("Reward waiting")).map(([, status]) => status))
      .toEqual(["WAITING", "WAITING"]);

    await page.reload();
    await findLine(page, "Welcome").getByText("2 runs, last run").waitFor();
    await findLine(page, "Reward waiting").getByRole("link").click();
    const log = page.getByRole("region", { name: "Runs" });
    await log.getByRole("listitem").filter({ hasText: "Bob" }).getByText("due ").waitFor();
    expect(complaints).toEqual([]);
    await close();

    await acme.stamps.redeem(bob.passId);
    shop.setAhead(DAY_MINUTES);
    await expect.poll(() => listRuns("Birthday")).toEqual([[ada.userId, "DONE", null]]);
    await expect.poll(() => acme.stamps.state(ada.passId)).toMatchObject({ rewardsAvailable: 2 });
    await expect.poll(() => listSubjects(ada.email, 3)).toContain("Happy birthday, Ada!");
    shop.setAhead(6 * DAY_MINUTES + 60);
    await expect
      .poll(() => listRuns("Reward waiting"))
      .toEqual([
        [bob.userId, "SKIPPED", "condition"],
        [ada.userId, "DONE", null],
      ]);
    await expect.poll(() => listSubjects(ada.email, 4)).toContain("Your reward is waiting, Ada");
    shop.setAhead(54 * DAY_MINUTES);
    await loyalty.refreshSegments({ acceptClock: true });
    await expect
      .poll(async () => new Set((await listRuns("Win back")).map(([userId]) => userId)))
      .toEqual(new Set([ada.userId, bob.userId]));
    await expect.poll(() => listSubjects(ada.email, 5)).toContain("We miss you, Ada");

    const later = await at("/console/automations");
    await findLine(later.page, "Reward waiting").getByRole("link").click();
    const runsRegion = later.page.getByRole("region", { name: "Runs" });
    await runsRegion.getByText("the customer didn’t match the condition").waitFor();
    await later.page.getByLabel("Filter runs").selectOption("Done");
    await runsRegion
      .getByRole("listitem")
      .filter({ hasText: "done" })
      .getByRole("link", { name: "Ada" })
      .click();
    await later.page.getByRole("heading", { name: "Ada" }).waitFor();
    expect(later.complaints).toEqual([]);
    await later.close();
  });

  it("the form shows errors at the fields, and keeps the input", async () => {
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

  it("win back gives its segment a free name, and a retry after a failed request reuses that segment", async () => {
    const other = await openOtherShop();
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
    await Promise.all([close(), other.closeShop()]);
  });
});

describe("an automation", () => {
  it("is turned off and on with one press each, and does nothing while it is off", async () => {
    const other = await openOtherShop();
    const { id } = await other.acme.automations.create({
      name: "Hello",
      on: { event: "pass.created" },
      do: [{ addStamps: { templateId: other.template.id, count: 1 } }],
    });
    const countStamps = async (passId: string) => {
      await other.loyalty.runAutomations();
      return (await other.acme.stamps.state(passId)).currentStamps;
    };
    const { page, complaints, close } = await visitSignedIn(browser, other, "/console/automations");
    const isOn = page.getByRole("switch", { name: "Hello" });
    await isOn.and(page.locator("[aria-checked=true]")).waitFor();
    await isOn.click();
    await page.getByText("“Hello” is now off").waitFor();
    await isOn.and(page.locator("[aria-checked=false]")).waitFor();
    const { passId: adas } = await other.createCustomer("Ada");
    await expect.poll(() => countStamps(adas)).toBe(0);
    await isOn.focus();
    await page.keyboard.press("Space");
    await page.getByText("“Hello” is now on").waitFor();
    await page.getByRole("button", { name: "Dismiss" }).first().click();
    const { passId: bobs } = await other.createCustomer("Bob");
    await expect.poll(() => countStamps(bobs)).toBe(1);
    await page.getByRole("link", { name: "Hello" }).click();
    await page.getByRole("switch", { name: "Hello" }).click();
    await page.getByText("“Hello” is now off").waitFor();
    await expect.poll(async () => (await other.acme.automations.get(id)).isEnabled).toBe(false);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete “Hello”" }).click();
    await page.getByText("No automations yet").waitFor();
    expect(complaints).toEqual([]);
    await Promise.all([close(), other.closeShop()]);
  });

  it("can be built, shows missing fields, runs, can be edited, and warns before unsaved changes are lost", async () => {
    const other = await openOtherShop();
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

    const ada = await other.createCustomer("Ada");
    await other.acme.stamps.add(ada.passId, { count: 3 });
    await other.loyalty.runAutomations();
    await expect.poll(() => other.acme.tags.ofUser(ada.userId)).toMatchObject([{ slug: "regular" }]);
    await expect.poll(() => other.acme.stamps.state(ada.passId)).toMatchObject({ rewardsAvailable: 1 });

    const [automation] = await other.acme.automations.list();
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
          ...automation,
          version: 2,
          updatedAt: expect.any(String),
          on: { segmentEntered: "fans" },
          after: 30,
          do: [{}],
        },
      ]);
    expect(complaints).toEqual([]);
    await Promise.all([close(), other.closeShop()]);
  });

  it("triggered by stamps offers only stamp cards, and drops another card that was chosen before", async () => {
    const other = await openOtherShop();
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
    await Promise.all([close(), other.closeShop()]);
  });

  it("can be tried for one customer, showing why it wouldn't run or what each step would do, without doing it", async () => {
    const other = await openOtherShop();
    const [ada, bob] = [await other.createCustomer("Ada"), await other.createCustomer("Bob")];
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
    const chooseCustomer = async (name: string) => {
      await dialog.getByLabel("Customer").fill(name);
      await dialog.getByRole("button", { name: new RegExp(`${name}@`, "i") }).click();
    };
    await chooseCustomer("bob");
    await dialog.getByText("It wouldn’t run for Bob: the customer doesn’t match the condition").waitFor();
    const condition = dialog.getByRole("region", { name: "Condition" });
    await condition.getByText("whose city is “Graz”").waitFor();
    await condition.getByText("not set").waitFor();
    await chooseCustomer("ada");
    await dialog.getByText("It would run for Ada.").waitFor();
    const steps = dialog.getByRole("region", { name: "Actions" }).getByRole("listitem");
    await steps.filter({ hasText: "add the tag “Local”" }).getByText("would run").waitFor();
    await steps.getByText("not sent by email: the customer hasn’t confirmed that they want news").waitFor();
    await expect.poll(() => other.acme.tags.ofUser(ada.userId)).toEqual([]);
    await other.acme.automations.update(id, { isEnabled: false });
    await chooseCustomer("bob");
    await dialog.getByText("It wouldn’t run for Bob: it is turned off.").waitFor();
    expect(bob.userId).not.toBe(ada.userId);
    await dialog.getByRole("button", { name: "Close" }).click();
    await expect.poll(async () => (await other.acme.automations.runs(id)).content).toEqual([]);
    expect(complaints).toEqual([]);
    await Promise.all([close(), other.closeShop()]);
  });

  it("is shown with its runs on the customer's screen, and as the reason why its segment can't be deleted", async () => {
    const other = await openOtherShop();
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
    const ada = await other.createCustomer("Ada");
    await other.acme.tags.assign(ada.userId, fans);
    await other.loyalty.refreshSegments();
    await other.loyalty.runAutomations();
    const { page, complaints, close } = await visitSignedIn(browser, other, ada.path);
    const automationsRegion = page.getByRole("region", { name: "Automations" });
    await automationsRegion.getByRole("button", { name: "Show what automations did" }).click();
    const runLine = automationsRegion.getByRole("listitem");
    await runLine.getByText("done", { exact: true }).waitFor();
    await runLine.getByRole("link", { name: "Gift for fans" }).click();
    await page.getByRole("heading", { name: "Gift for fans" }).waitFor();
    await page.goto(`${other.url}/console/segments/${slug}`);
    await page.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("button", { name: "Delete “Fans”" }).click();
    await page.getByRole("dialog").getByText("This segment can’t be deleted because it’s used by:").waitFor();
    await page.getByRole("dialog").getByRole("link", { name: "Gift for fans" }).click();
    await page.getByRole("heading", { name: "Gift for fans" }).waitFor();
    await other.acme.automations.delete(id);
    await page.goto(other.url + ada.path);
    await automationsRegion.getByRole("button", { name: "Show what automations did" }).click();
    await automationsRegion.getByText("a deleted automation").waitFor();
    expect(complaints).toEqual([]);
    await Promise.all([close(), other.closeShop()]);
  });

  it("can't be turned on with a token that lacks the scopes of its actions, and the console says why", async () => {
    const other = await openOtherShop();
    await other.acme.automations.create({
      name: "Gift",
      isEnabled: false,
      on: { event: "pass.created" },
      do: [{ addStamps: { templateId: other.template.id, count: 1 } }],
    });
    const token = await other.createToken("automation:manage");
    const { page, close } = await visitSignedIn(browser, other, "/console/automations", token);
    await page.getByRole("switch", { name: "Gift" }).click();
    await page.getByText("You don’t have permission to do this. It requires pass:read.").waitFor();
    await page.getByRole("switch", { name: "Gift" }).and(page.locator("[aria-checked=false]")).waitFor();
    await expect.poll(() => page.getByRole("region", { name: "Templates" }).count()).toBe(0);
    const anonymousClient = await visitSignedIn(
      browser,
      other,
      "/console",
      await other.createToken("user:read"),
    );
    await expect.poll(() => anonymousClient.page.getByRole("link", { name: "Automations" }).count()).toBe(0);
    await Promise.all([close(), anonymousClient.close(), other.closeShop()]);
  });
});
