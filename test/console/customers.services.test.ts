import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { getByEmail } from "../kit/acme.js";
import { isOverflowing, openBrowser, openShop, type Shop, signIn, visit } from "./shop.js";
import { storages } from "./storages.js";

const browser = await openBrowser();

describe.each(storages)("customers on $name", ({ open }) => {
  let shop: Shop;
  beforeAll(async () => {
    shop = await openShop(open === undefined ? {} : { storage: await open() });
    for (let at = 1; at <= 30; at += 1) {
      await shop.acme.users.create({ email: `c${at}@example.com`, name: `Customer ${at}` });
    }
    await shop.acme.tags.create({ name: "Regular" });
  });

  const openCustomers = async () => {
    const browserVisit = await visit(browser);
    await signIn(browserVisit.page, shop, "/console/customers");
    await browserVisit.page.getByText(/of \d+ customers/).waitFor();
    return browserVisit;
  };

  it("are found while the user types, and the search and sort order are in the URL", async () => {
    const { page, complaints, close } = await openCustomers();
    await page.getByLabel("Search customers").pressSequentially("customer 2");
    await page.getByText("1–11 of 11 customers").waitFor();
    await page.getByRole("button", { name: "Name" }).click();
    await expect.poll(() => page.url()).toContain("search=customer+2&sort=name%2Casc");
    await page.reload();
    await page.getByText("1–11 of 11 customers").waitFor();
    await expect.poll(() => page.locator("tbody .name").first().textContent()).toBe("Customer 2");
    await page.getByLabel("Search customers").fill("nobody is called so");
    await page.getByText("No customers found").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("are listed page by page", async () => {
    const { page, close } = await openCustomers();
    await page.getByRole("button", { name: "Next" }).click();
    await page.getByText(/^26–/).waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Next" }).isDisabled()).toBe(true);
    await close();
  });

  it("are added, and the form shows each error at its field and keeps the input", async () => {
    const { page, complaints, close } = await openCustomers();
    await page.getByRole("button", { name: "Add customer" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("Dora");
    await dialog.getByLabel("Email", { exact: true }).fill("C1@example.com");
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await dialog.getByText("Another customer already has this email.").waitFor();
    await dialog.getByLabel("Email", { exact: true }).fill("no address");
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await dialog.getByText(/valid email/i).waitFor();
    await expect.poll(() => dialog.getByLabel("Name", { exact: true }).inputValue()).toBe("Dora");
    await dialog.getByLabel("Email", { exact: true }).fill("dora@example.com");
    await dialog.getByRole("button", { name: "Add note" }).click();
    await dialog.getByLabel("Name of the note").fill("birthday");
    await dialog.getByLabel("Note: birthday").fill("May 4");
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("heading", { name: "Dora" }).waitFor();
    await page.getByText("May 4").waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("are added without an email if the shop requires none, and the form marks required fields", async () => {
    const { page, complaints, close } = await openCustomers();
    const openAddDialog = async () => {
      await page.getByRole("button", { name: "Add customer" }).click();
      return page.getByRole("dialog");
    };
    const dialog = await openAddDialog();
    await dialog.getByText("required", { exact: true }).waitFor();
    await expect
      .poll(() => dialog.getByLabel("Email", { exact: true }).getAttribute("required"))
      .not.toBeNull();
    await dialog.getByLabel("Name", { exact: true }).fill("Phony Phil");
    await dialog.getByLabel("Phone", { exact: true }).fill("030 4321");
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await dialog.getByText("is required", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.getByRole("button", { name: "Leave without saving" }).click();
    await shop.acme.settings.update({ requiresEmail: false });
    const free = await openAddDialog();
    await free.getByText("If there isn’t one, enter a phone number or a customer number.").waitFor();
    await expect.poll(() => free.getByText("required", { exact: true }).count()).toBe(0);
    await free.getByLabel("Name", { exact: true }).fill("Phony Phil");
    await free.getByRole("button", { name: "Add", exact: true }).click();
    await free.getByText("is required unless phone or externalId is given").waitFor();
    await free.getByLabel("Phone", { exact: true }).fill("030 4321");
    await free.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("heading", { name: "Phony Phil" }).waitFor();
    const { content } = await shop.acme.contacts.list({ search: "030 4321" });
    expect(content).toMatchObject([{ name: "Phony Phil", email: null }]);
    await shop.acme.users.delete(content[0]?.id ?? "");
    await shop.acme.settings.update({ requiresEmail: true });
    expect(complaints).toEqual([]);
    await close();
  });

  it("are deleted only after confirmation with a button that names them", async () => {
    const user = await shop.acme.users.create({ email: "gone@example.com", name: "Gone Soon" });
    const { page, close } = await visit(browser);
    await signIn(page, shop, `/console/customers/${user.id}`);
    const moreButton = page.getByRole("button", { name: "More about this customer" });
    await moreButton.click();
    await page.getByRole("button", { name: /^Delete customer/ }).click();
    await page.getByRole("button", { name: "Keep" }).click();
    await expect.poll(() => moreButton.evaluate((button) => button.matches(":focus"))).toBe(true);
    await expect.poll(async () => (await shop.acme.users.get(user.id)).name).toBe("Gone Soon");
    // The key press arrives after the list is in the page and before it is painted.
    const wasOpen = await page.evaluate(`(async () => {
      document.querySelector("[aria-label='More about this customer']").click();
      await new Promise((resolve) => queueMicrotask(() => queueMicrotask(resolve)));
      const isOpen = document.querySelector(".menu-items") !== null;
      dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
      return isOpen;
    })()`);
    expect(wasOpen).toBe(true);
    await expect.poll(() => page.getByRole("button", { name: /^Delete customer/ }).count()).toBe(0);
    await moreButton.click();
    await page.getByRole("button", { name: /^Delete customer/ }).click();
    await page.getByRole("button", { name: "Delete Gone Soon" }).click();
    await page.getByText("Gone Soon was deleted").waitFor();
    await expect(shop.acme.users.get(user.id)).rejects.toThrow();
    await close();
  });

  it("have one timeline, loaded page by page, can have their data saved as a file, and can be erased", async () => {
    const { acme } = shop;
    const card = await acme.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 50 });
    const pass = await acme.passes.create(card.id, {
      user: { email: "often@example.com", name: "Often Here" },
    });
    for (let at = 1; at <= 45; at += 1) await acme.stamps.add(pass.id, { note: `Visit ${at}` });
    const { page, complaints, close } = await visit(browser);
    const requestedUrls: string[] = [];
    page.on("request", (request) => requestedUrls.push(new URL(request.url()).pathname));
    await signIn(page, shop, `/console/customers/${pass.userId}`);
    const timeline = page.getByRole("region", { name: "Timeline" });
    const pages = timeline.getByRole("navigation", { name: "Timeline pages" });
    await timeline.getByText("Stamped: 45/50").waitFor();
    await timeline.getByText("“Visit 26”").waitFor();
    await expect.poll(() => timeline.getByRole("listitem").count()).toBe(20);
    await pages.getByRole("button", { name: "Older" }).click();
    await timeline.getByText("“Visit 25”").waitFor();
    await timeline.getByText("“Visit 6”").waitFor();
    await pages.getByRole("button", { name: "Older" }).click();
    await timeline.getByText("“Visit 1”").waitFor();
    await timeline.getByText("Got a card").waitFor();
    await timeline.getByText("Became a customer").waitFor();
    await expect.poll(() => timeline.getByRole("listitem").count()).toBe(7);
    await expect.poll(() => pages.getByRole("button", { name: "Older" }).isDisabled()).toBe(true);
    expect(requestedUrls.filter((path) => path.endsWith("/stamps/history"))).toHaveLength(3);
    expect(requestedUrls.filter((path) => path.endsWith("/events"))).toHaveLength(1);
    await page.getByRole("region", { name: "Tea" }).getByRole("button", { name: "Add 1 stamp" }).click();
    await timeline.getByText("Stamped: 46/50").waitFor();
    await pages.getByText("Page 1").waitFor();
    const moreButton = page.getByRole("button", { name: "More about this customer" });
    const download = page.waitForEvent("download");
    await moreButton.click();
    await page.getByRole("button", { name: /^Save a copy of their data/ }).click();
    const exportedData = JSON.parse(await readFile(await (await download).path(), "utf8"));
    expect(exportedData).toMatchObject({ object: "dossier", user: { email: "often@example.com" } });

    await moreButton.click();
    await page.getByRole("button", { name: /^Erase permanently/ }).click();
    await page.getByRole("button", { name: "Erase Often Here" }).click();
    await page.getByText("Often Here was erased").waitFor();
    await expect(acme.users.get(pass.userId)).rejects.toThrow();
    const { content } = await acme.events.list({ limit: 1000 });
    expect(JSON.stringify(content)).not.toContain("often@example.com");
    expect(complaints).toEqual([]);
    await close();
  });

  it("have a timeline in words, with the actor and the till of each entry", async () => {
    const { acme, loyalty } = shop;
    const till = loyalty.organization("acme", { actor: { subject: "Ada", location: "Till 2" } });
    const card = await acme.templates.create({ name: "Juice", type: "STAMP_CARD", maxStamps: 2 });
    const pass = await acme.passes.create(card.id, {
      user: { email: "juice@example.com", name: "Jo Juice" },
    });
    await acme.tags.create({ name: "Thirsty" });
    const runInOrder = async (steps: readonly (() => Promise<unknown>)[]) => {
      for (const step of steps) {
        const before = Date.now();
        await expect.poll(() => Date.now() > before, { interval: 1 }).toBe(true);
        await step();
      }
    };
    await runInOrder([
      () => acme.tags.assign(pass.userId, "thirsty"),
      () => till.stamps.add(pass.id, { count: 2, note: "Two glasses" }),
      () => till.stamps.redeem(pass.id),
      () => acme.passes.markInstalled(pass.id),
      () =>
        acme.users.create({
          email: "juice-again@example.com",
          metadata: { join: { typedEmailOf: pass.userId } },
        }),
    ]);
    const { page, complaints, close } = await visit(browser);
    await signIn(page, shop, `/console/customers/${pass.userId}`);
    const entries = page.getByRole("region", { name: "Timeline" }).getByRole("listitem");
    const readEntries = async () =>
      (await entries.locator(".grow").allInnerTexts()).map((text) => text.replaceAll(/\s*\n\s*/g, " · "));
    await expect
      .poll(readEntries)
      .toEqual([
        "Someone signed up again with this email · your software",
        "Card added to a wallet · your software",
        "Redeemed a reward · Ada, Till 2",
        "Stamped +2: 2/2 · Card full: earned a reward · “Two glasses” · Ada, Till 2",
        "Tag “Thirsty” added · your software",
        "Got a card · your software",
        "Became a customer · your software",
      ]);
    const token = await shop.createToken("user:read", "pass:read");
    const clerk = await visit(browser);
    await signIn(clerk.page, shop, `/console/customers/${pass.userId}`, token);
    const timelineOfClerk = clerk.page.getByRole("region", { name: "Timeline" });
    await timelineOfClerk.getByText("Redeemed a reward").waitFor();
    await timelineOfClerk.getByText("Became a customer").waitFor();
    await expect.poll(() => timelineOfClerk.getByText("Thirsty").count()).toBe(0);
    expect(clerk.complaints).toEqual([]);
    await clerk.close();
    await page.setViewportSize({ width: 360, height: 740 });
    await page.getByRole("button", { name: "More about this customer" }).click();
    await page.getByText("For customers who ask for their data to be erased").waitFor();
    await expect.poll(() => isOverflowing(page)).toBe(false);
    expect(complaints).toEqual([]);
    await close();
  });

  it("are filtered by card, and by the number of stamps on it", async () => {
    const { acme } = shop;
    const card = await acme.templates.create({ name: "Soup", type: "STAMP_CARD", maxStamps: 10 });
    for (const count of [2, 5]) {
      const pass = await acme.passes.create(card.id, { user: { email: `soup${count}@example.com` } });
      await acme.stamps.add(pass.id, { count });
    }
    const { page, close } = await openCustomers();
    await page.getByLabel("With this card").selectOption("Soup");
    await page.getByText("1–2 of 2 customers").waitFor();
    await page.getByLabel("Minimum stamps").fill("3");
    await page.getByText("1–1 of 1 customer").waitFor();
    await page.getByRole("link", { name: "soup5@example.com" }).waitFor();
    await page.setViewportSize({ width: 360, height: 740 });
    await expect.poll(() => isOverflowing(page)).toBe(false);
    await page.getByRole("button", { name: "Filter (1)" }).click();
    await page.getByLabel("Minimum stamps").fill("");
    await page.getByLabel("Maximum stamps").fill("4");
    await page.getByRole("button", { name: "Show 1 customer" }).click();
    await page.getByRole("link", { name: "soup2@example.com" }).waitFor();
    await close();
  });

  it("have their stamps added, removed, set, reset and redeemed with a note, and each change can be undone", async () => {
    const { acme } = shop;
    const card = await acme.templates.create({ name: "Pie", type: "STAMP_CARD", maxStamps: 4 });
    const pass = await acme.passes.create(card.id, { user: { email: "pie@example.com", name: "Pie Eater" } });
    const { page, complaints, close } = await visit(browser);
    await signIn(page, shop, `/console/customers/${pass.userId}`);
    const panel = page.getByRole("region", { name: "Pie" });
    const dialog = page.getByRole("dialog");
    const openMenu = () => panel.getByRole("button", { name: "More for “Pie”" }).click();
    const change = async (name: string, count: string | null, note = "") => {
      await openMenu();
      await panel.getByRole("button", { name: `${name}…` }).click();
      if (count !== null) await dialog.getByLabel("Stamps", { exact: true }).fill(count);
      await dialog.getByLabel("Note").fill(note);
      await dialog.getByRole("button", { name, exact: true }).click();
      await dialog.waitFor({ state: "detached" });
    };
    const readStamps = async () => {
      const { currentStamps, rewardsAvailable } = await acme.stamps.state(pass.id);
      return [currentStamps, rewardsAvailable];
    };
    const assertSaid = async (text: string, after: readonly number[]) => {
      await page.getByText(text, { exact: true }).waitFor();
      await expect.poll(() => readStamps()).toEqual(after);
    };
    const undo = async (text: string) => {
      const toast = page.locator(".toast").filter({ hasText: text });
      await toast.getByRole("button", { name: "Undo" }).click();
    };
    await panel.getByRole("button", { name: "Add 1 stamp" }).click();
    await assertSaid("1 stamp added", [1, 0]);
    await change("Add several stamps", "4", "Two rounds");
    await assertSaid("4 stamps added", [1, 1]);
    const timeline = page.getByRole("region", { name: "Timeline" });
    await timeline.getByText("Two rounds").waitFor();
    await change("Correct the number of stamps", "3", "Counted again");
    await assertSaid("The card now has 3 stamps", [3, 1]);
    await openMenu();
    await panel.getByRole("button", { name: "Add several stamps…" }).click();
    await dialog.getByLabel("Stamps", { exact: true }).fill("0");
    await dialog.getByText("1 to 100", { exact: true }).waitFor();
    await expect
      .poll(() => dialog.getByRole("button", { name: "Add several stamps" }).isDisabled())
      .toBe(true);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await change("Correct the number of stamps", "0");
    await assertSaid("The card now has 0 stamps", [0, 1]);
    await change("Add several stamps", "3");
    await assertSaid("3 stamps added", [3, 1]);
    await change("Remove stamps", "2", "One too many");
    await assertSaid("2 stamps removed", [1, 1]);
    await change("Redeem with a note", null, "Free pie");
    await assertSaid("A reward was redeemed", [1, 0]);
    await expect.poll(() => panel.getByRole("button", { name: "Redeem reward" }).count()).toBe(0);
    await undo("A reward was redeemed");
    await expect.poll(readStamps).toEqual([1, 1]);
    await panel.getByRole("button", { name: "Redeem reward" }).click();
    await expect.poll(readStamps).toEqual([1, 0]);
    await undo("A reward was redeemed");
    await expect.poll(readStamps).toEqual([1, 1]);
    await openMenu();
    await panel.getByRole("button", { name: "Remove all stamps" }).click();
    await page.getByRole("button", { name: "Remove 1 stamp" }).click();
    await assertSaid("The stamps were removed", [0, 1]);
    for (const text of ["Two rounds", "Counted again", "One too many", "Free pie"]) {
      await timeline.getByText(text).waitFor();
    }
    expect(complaints).toEqual([]);
    await close();
  });

  it("have three key facts at the top, the names of actors, and their ID behind a click", async () => {
    const { acme } = shop;
    const card = await acme.templates.create({ name: "Cake", type: "STAMP_CARD", maxStamps: 6 });
    const pass = await acme.passes.create(card.id, { user: { email: "cake@example.com", name: "Cay Cake" } });
    const { page, complaints, close } = await visit(browser);
    await signIn(page, shop, `/console/customers/${pass.userId}`);
    const facts = page.locator(".key-facts");
    const readFacts = async () => (await facts.locator("dd").allInnerTexts()).join(" | ");
    await expect.poll(readFacts).toBe("0 of 6 stamps | Never | Not asked yet");
    await page.getByRole("region", { name: "Cake" }).getByRole("button", { name: "Add 1 stamp" }).click();
    await expect.poll(readFacts).toBe("1 of 6 stamps | Today | Not asked yet");
    const timeline = page.getByRole("region", { name: "Timeline" });
    const stamped = timeline.getByRole("listitem").filter({ hasText: "Stamped: 1/6" });
    // The name of the token that this person signed in with.
    await stamped.getByText("test", { exact: true }).waitFor();
    await expect.poll(() => page.getByText(/lk_/).count()).toBe(0);
    await expect.poll(() => page.locator(".one-customer .button.primary").count()).toBe(1);
    await expect.poll(() => page.getByText(pass.userId).isVisible()).toBe(false);
    await page.getByText("Show ID").click();
    await page.getByText(pass.userId).waitFor();
    await page.getByRole("button", { name: "Copy ID" }).waitFor();
    expect(complaints).toEqual([]);
    await close();
  });

  it("are tagged together, and undo removes the tag from them", async () => {
    const { page, close } = await openCustomers();
    await page.getByLabel("Search customers").fill("customer 1");
    await page.getByText("1–11 of 11 customers").waitFor();
    await page.getByLabel("Select all on this page").check();
    await page.getByRole("button", { name: "Tag", exact: true }).click();
    await page.getByText("Tag added to 11 customers").waitFor();
    const listHolders = () =>
      shop.acme.tags.query({ filter: { operator: "AND", conditions: [{ slug: "regular" }] } });
    await expect.poll(async () => (await listHolders()).totalElements).toBe(11);
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Tag removed from 11 customers").waitFor();
    await expect.poll(async () => (await listHolders()).totalElements).toBe(0);
    await close();
  });

  it("are imported from a file, and every rejected row is listed with its reason", async () => {
    const { page, complaints, close } = await openCustomers();
    await page.getByRole("button", { name: "Import" }).click();
    const rows = [
      "E-Mail;Name;City",
      "i1@example.com;Import One;Oslo",
      "wrong;No Address;",
      "c1@example.com;Twice;",
    ];
    const file = { name: "customers.csv", mimeType: "text/csv", buffer: Buffer.from(rows.join("\r\n")) };
    await page.getByLabel("CSV file").setInputFiles(file);
    await page.getByText("3 rows to add.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Import" }).click();
    await page.getByText("3 of 3: 1 customer added, 2 rows rejected").waitFor();
    const failedRows = await page.getByRole("dialog").locator("tbody tr").allTextContents();
    expect(failedRows.sort()).toEqual([
      expect.stringMatching(/^3wrong/),
      expect.stringMatching(/^4c1@.*email: Another customer/),
    ]);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save rejected rows" }).click();
    await expect.poll(async () => readFile(await (await download).path(), "utf8")).toContain("No Address");
    const { content } = await shop.acme.contacts.list({ search: "i1@example.com" });
    await expect
      .poll(async () => (await shop.acme.users.get(content[0]?.id ?? "")).metadata)
      .toEqual({ City: "Oslo" });
    expect(complaints).toEqual([]);
    await close();
  });

  it("are imported from a file with their tags, with the same headers as the command line accepts", async () => {
    const { page, complaints, close } = await openCustomers();
    await page.getByRole("button", { name: "Import" }).click();
    const dialog = page.getByRole("dialog");
    const rows = [
      "E-Mail,External ID,First name,Last_Name,tags,Shoe size",
      "t1@example.com,T-1,'=Grace,Hopper,Regular; New ones,'-1",
      "t2@example.com,T-2,Ada,,new ones,",
      "t3@example.com,T-3,Ada",
    ];
    const file = { name: "customers.csv", mimeType: "text/csv", buffer: Buffer.from(rows.join("\n")) };
    await page.getByLabel("CSV file").setInputFiles(file);
    await page.getByLabel("Create missing tags").check();
    await dialog.getByRole("button", { name: "Import" }).click();
    await page.getByText("3 of 3: 2 customers added, 1 row rejected").waitFor();
    await page.getByText("It has 3 fields, not 6.").waitFor();
    const { users, tags } = shop.acme;
    await expect
      .poll(() => users.get("T-1"))
      .toMatchObject({ name: "=Grace Hopper", metadata: { "Shoe size": "-1" } });
    await expect
      .poll(async () => (await tags.ofUser("T-1")).map(({ slug }) => slug).sort())
      .toEqual(["new-ones", "regular"]);
    await expect.poll(async () => (await tags.ofUser("T-2")).map(({ slug }) => slug)).toEqual(["new-ones"]);
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Import" }).click();
    const unknown = { ...file, buffer: Buffer.from("email,tags\nt4@example.com,Nobody's\n") };
    await page.getByLabel("CSV file").setInputFiles(unknown);
    await dialog.getByRole("button", { name: "Import" }).click();
    await page.getByText("unknown tag Nobody's").waitFor();
    await expect.poll(() => users.find({ email: "t4@example.com" })).toBeNull();
    expect(complaints).toEqual([]);
    await close();
  });

  it("are imported from a file with their consent, which requires its time and text", async () => {
    const { page, complaints, close } = await openCustomers();
    await page.getByRole("button", { name: "Import" }).click();
    const rows = [
      "email,emailConsent,consentAt,consentText,language",
      "n1@example.com,subscribed,2025-03-01,Send me news,de-at",
      "n2@example.com,unsubscribed,,,",
      "n3@example.com,subscribed,2025-03-01,,",
      "n4@example.com,perhaps,,,",
      "n5@example.com,subscribed,lately,Yes,",
    ];
    const file = { name: "customers.csv", mimeType: "text/csv", buffer: Buffer.from(rows.join("\n")) };
    await page.getByLabel("CSV file").setInputFiles(file);
    await page.getByRole("dialog").getByRole("button", { name: "Import" }).click();
    await page.getByText("5 of 5: 2 customers added, 3 rows rejected").waitFor();
    const failedRows = await page.getByRole("dialog").locator("tbody tr").allTextContents();
    expect(failedRows.sort()).toEqual([
      expect.stringContaining("Consent requires both consentAt and consentText."),
      expect.stringContaining('emailConsent must be subscribed or unsubscribed, not "perhaps".'),
      expect.stringContaining("consentAt must be a date such as"),
    ]);
    const { users, subscriptions } = shop.acme;
    const getSubscription = async (email: string) =>
      subscriptions.get((await getByEmail(users, { email })).id);
    await expect
      .poll(() => getSubscription("n1@example.com"))
      .toMatchObject({
        email: { status: "SUBSCRIBED", at: "2025-03-01T00:00:00.000Z", text: "Send me news" },
        language: "de-AT",
      });
    await expect
      .poll(async () => (await getSubscription("n2@example.com")).email.status)
      .toBe("UNSUBSCRIBED");
    await expect.poll(() => users.find({ email: "n3@example.com" })).toBeNull();
    expect(complaints).toEqual([]);
    await close();
  });

  it("are imported from a spreadsheet's file, and the dialog asks about ambiguous encodings and dates", async () => {
    const { page, complaints, close } = await openCustomers();
    await page.getByRole("button", { name: "Import" }).click();
    const dialog = page.getByRole("dialog");
    const isDisabled = () => dialog.getByRole("button", { name: "Import" }).isDisabled();
    const chooseFile = (buffer: Buffer) =>
      page.getByLabel("CSV file").setInputFiles({ name: "customers.csv", mimeType: "text/csv", buffer });
    await chooseFile(Buffer.from("email;name;\r\n w1@example.com ;M\u00FCller\u00A0;\r\n;;\r\n", "latin1"));
    await page.getByText("1 row to add.").waitFor();

    const rows = [
      "email,name,externalId,emailConsent,consentAt,consentText",
      "w2@example.com,\u00A3ukasz,w2,subscribed,01/02/2025,Yes",
      'w3@example.com,Jan,"4,00638E+12",,,',
    ];
    await chooseFile(Buffer.from(rows.join("\n"), "latin1"));
    await page.getByLabel("Encoding").waitFor();
    await expect.poll(isDisabled).toBe(true);
    await page.getByLabel("Encoding").selectOption({ label: "Łukasz (windows-1250)" });
    await page.getByText("01/02/2025 is ambiguous.").waitFor();
    await expect.poll(isDisabled).toBe(true);
    await page.getByLabel("Dates").selectOption({ label: "Day first" });
    await dialog.getByRole("button", { name: "Import" }).click();
    await page.getByText("2 of 2: 1 customer added, 1 row rejected").waitFor();
    await page.getByText("a number that a spreadsheet rounded").waitFor();
    const { users, subscriptions } = shop.acme;
    await expect.poll(() => users.get("w2")).toMatchObject({ name: "Łukasz" });
    const at = "2025-02-01T00:00:00.000Z";
    await expect.poll(() => subscriptions.get("w2")).toMatchObject({ email: { at } });
    expect(complaints).toEqual([]);
    await close();
  });

  it("are exported to a file whose cells no spreadsheet runs as formulas", async () => {
    await shop.acme.users.create({ email: "formula@example.com", name: "=1+1" });
    const { page, close } = await openCustomers();
    await page.getByLabel("Search customers").fill("formula@");
    await page.getByText("1–1 of 1 customer").waitFor();
    await page.getByRole("button", { name: "Export" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("dialog").getByRole("button", { name: "Export" }).click();
    await expect
      .poll(async () => readFile(await (await download).path(), "utf8"))
      .toBe("email,name,phone,externalId\r\nformula@example.com,'=1+1,,\r\n");
    await close();
  });

  it("who signed up without an email show none on any screen or in any file, and can be saved without one", async () => {
    await shop.acme.settings.update({ requiresEmail: false });
    const { id } = await shop.acme.users.create({ externalId: "joined-1", name: "Joined Jo" });
    const { id: other } = await shop.acme.users.create({ externalId: "joined-2" });
    await shop.acme.settings.update({ requiresEmail: true });
    await shop.acme.tags.create({ name: "Joined" });
    await shop.acme.tags.assign(id, "joined");
    const { page, complaints, close } = await openCustomers();
    await page.getByLabel("Search customers").fill("joined");
    await page.getByText("1–2 of 2 customers").waitFor();
    await page.getByText("No name").waitFor();
    await page.getByRole("button", { name: "Export" }).click();
    const download = page.waitForEvent("download");
    await page.getByRole("dialog").getByRole("button", { name: "Export" }).click();
    await expect
      .poll(async () => readFile(await (await download).path(), "utf8"))
      .toBe("email,name,phone,externalId\r\n,Joined Jo,,joined-1\r\n,,,joined-2\r\n");
    await page.getByText("Joined Jo").click();
    await page.getByRole("button", { name: "Edit" }).click();
    const dialog = page.getByRole("dialog");
    await expect.poll(() => dialog.getByLabel("Email", { exact: true }).inputValue()).toBe("");
    await dialog.getByLabel("Phone", { exact: true }).fill("\u202A+٤٩\u00A030\u200E 7\u202C");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("+49 30 7").waitFor();
    await expect.poll(() => page.getByRole("region", { name: "Profile" }).getByText("Email").count()).toBe(0);
    await expect.poll(() => shop.acme.users.get(id)).toMatchObject({ email: null, phone: "+49 30 7" });
    expect(complaints).toEqual([]);
    await shop.acme.users.delete(id);
    await shop.acme.users.delete(other);
    await close();
  });

  it("are found, opened and edited with only the keyboard", async () => {
    const user = await shop.acme.users.create({ email: "keys@example.com", name: "Keys Only" });
    const { page, close } = await openCustomers();
    const focusElement = async (name: string) => {
      for (let at = 0; at < 60; at += 1) {
        await page.keyboard.press("Tab");
        const label =
          "document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent";
        if (String(await page.evaluate(label)).trim() === name) return;
      }
      throw new Error(`the keyboard never came to ${name}`);
    };
    await focusElement("Search customers");
    await page.keyboard.type("keys@");
    await page.getByText("1–1 of 1 customer").waitFor();
    await focusElement("Keys Only");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Keys Only" }).waitFor();
    await focusElement("Edit");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(() => page.evaluate("document.activeElement.textContent")).toBe("Edit");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Control+A");
    await page.keyboard.type("Renamed By Keys");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Renamed By Keys" }).waitFor();
    await expect.poll(async () => (await shop.acme.users.get(user.id)).name).toBe("Renamed By Keys");
    await close();
  });
});

describe("customers under a rate limit", () => {
  it("show how long to wait", async () => {
    const shop = await openShop({ rateLimits: { perToken: { requests: 3, seconds: 600 } } });
    const { page, close } = await visit(browser);
    await signIn(page, shop, "/console/customers");
    await page.getByLabel("Search customers").pressSequentially("some name", { delay: 150 });
    await page.getByText(/Too many requests. Try again in \d+ minutes\./).waitFor();
    await close();
    await shop.close();
  });
});
