import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { recordCalls } from "../kit/intercept-calls.js";
import { createCardToUpdate, onCards, SomeMessages } from "../wallets/some-message.js";
import { openShop } from "./shop.js";

const ada = { email: "ada@example.com", name: "Ada Lovelace", phone: "+44 20 1234", externalId: "till-no-1" };

describe("the card page", () => {
  it("shows the card with its stamps, rewards and code", async () => {
    const { acme, card, get } = await openShop();
    const pass = await acme.passes.create(card.id, { user: ada });
    await acme.stamps.add(pass.id, { count: 7 });
    const code = pass.qrCodeValue.split("/").at(-1) ?? "";
    const page = await get(`/c/${code}`);
    const text = await page.text();
    expect([page.status, page.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    for (const expectedText of ["Coffee", "2 of 5 stamps", "1 reward is waiting for you", code, "<svg"]) {
      expect(text).toContain(expectedText);
    }
    expect(text.match(/href="#stamp-filled"/g)).toHaveLength(2);
    expect(text).toContain('<link rel="icon" href="data:image/svg+xml,');
    expect(text).not.toContain("earns");
  });

  it("says what a full card earns, like the sign-up page, in the shop's words", async () => {
    const { acme, card, get } = await openShop();
    await acme.templates.update(card.id, { reward: "Kaffee & <Kuchen>" });
    const pass = await acme.passes.create(card.id, { user: ada });
    for (const path of [`/c/${pass.qrCodeValue.split("/").at(-1)}`, `/join/${card.id}`]) {
      const text = await (await get(path, { "accept-language": "de" })).text();
      expect(text).toContain("Eine volle Karte bringt: Kaffee &amp; &lt;Kuchen&gt;");
    }
  });

  it.each([
    [
      "en",
      "1,250 points",
      "1,250 points expire on 31 July 2031",
      "15 more from",
      "Negative balance: 35 points",
    ],
    ["de", "1.250 Punkte", "1.250 Punkte verfallen am 31. Juli 2031", "15 mehr ab dem", "Minus: 35 Punkte"],
    [
      "fr",
      "1 250 points",
      "1 250 points expirent le 31 juillet 2031",
      "15 de plus",
      "Solde négatif : 35 points",
    ],
    [
      "es",
      "1250 puntos",
      "1250 puntos caducan el 31 de julio de 2031",
      "15 más",
      "Saldo negativo: 35 puntos",
    ],
    [
      "pt",
      "1250 pontos",
      "1250 pontos expiram a 31 de julho de 2031",
      "mais 15 a",
      "Saldo negativo: 35 pontos",
    ],
  ])("shows the points in %s, with expiring and upcoming ones", async (language, ...expected) => {
    const { acme, get } = await openShop();
    await acme.settings.update({ timeZone: "Europe/Vienna" });
    const club = await acme.templates.create({
      ...{ name: "Club", type: "LOYALTY_CARD", points: { pendingDays: 3 } },
      earning: { currency: "EUR", rules: [{ give: 1, per: { amount: 100 } }] },
    });
    const pass = await acme.passes.create(club.id, { user: ada });
    const read = async (path: string) => {
      const text = await (await get(path, { "accept-language": language })).text();
      return text.replaceAll(/[\u00a0\u202f]/g, " ");
    };
    const [balance = "", expiry = "", upcoming = "", debt = ""] = expected;
    await acme.points.add(pass.id, { points: 1_250, expiresAt: "2031-07-31T22:00:00.000Z" });
    const { userId } = pass;
    await acme.purchases.put("till", "1", { userId, currency: "EUR", lines: [{ amount: 1_500 }] });
    const path = `/c/${pass.qrCodeValue.split("/").at(-1)}`;
    const text = await read(path);
    for (const shownText of [
      `<strong>${balance}</strong>`,
      expiry,
      upcoming,
      `aria-label="Club. ${balance}"`,
    ])
      expect(text).toContain(shownText);
    expect(text).not.toContain(debt.split(":", 1)[0]);
    await acme.points.remove(pass.id, { points: 1_300, allowsDebt: true });
    expect(await read(path)).toContain(debt);
    expect(await read(`/join/${club.id}`)).toContain(`aria-label="Club. 0 `);
  });

  it("shows the card's message in its language, without the customer's name", async () => {
    const storage = memoryStorage();
    const { acme, card, clock, get, loyalty } = await openShop({ storage });
    serviceInternals(loyalty)
      .createWalletBackend(0)
      .attachLinker(() => ({ apple: null, google: null }));
    const pass = await acme.passes.create(card.id, { user: ada });
    await acme.passes.walletLinks(pass.id);
    const messages = new SomeMessages(storage, clock.read);
    const texts = [onCards("en", "Cake for {name} & <you>, {toGo} to go"), onCards("de", "Kuchen")];
    await messages.show(
      await messages.make(card.id, texts),
      [createCardToUpdate(pass.id)],
      clock.now + 1_000,
    );
    const path = `/c/${pass.qrCodeValue.split("/").at(-1)}`;
    const read = async (language: string) => (await get(path, { "accept-language": language })).text();
    const english = await read("fr");
    expect(english).toContain('lang="en">Cake for &amp; &lt;you&gt;, 5 to go</p>');
    expect(english).not.toContain("Ada");
    expect(await read("de")).toContain('lang="de">Kuchen</p>');
    clock.move(1_000);
    expect(await read("en")).not.toContain("Cake");
  });

  it("doesn't reveal whose card it is", async () => {
    const { acme, card, get } = await openShop();
    const metadata = { secret: "likes cake" };
    const pass = await acme.passes.create(card.id, { user: { ...ada, metadata } });
    await acme.stamps.add(pass.id, { note: "table four" });
    const text = await (await get(`/c/${pass.qrCodeValue.split("/").at(-1)}`)).text();
    for (const hidden of [...Object.values(ada), "Ada", "cake", "table four", pass.userId, pass.id, "acme"]) {
      expect(text).not.toContain(hidden);
    }
  });

  it("is the same for a revoked code and one that never existed", async () => {
    const { acme, card, get } = await openShop();
    const pass = await acme.passes.create(card.id, { user: ada });
    await acme.passes.delete(pass.id);
    const read = async (code: string) => {
      const answer = await get(`/c/${code}`);
      return [answer.status, await answer.text(), [...answer.headers]];
    };
    const revoked = await read(pass.qrCodeValue.split("/").at(-1) ?? "");
    expect(revoked[0]).toBe(404);
    for (const code of ["neverGiven12", "x", "a/b", "%00", "..%2f", "é"]) {
      expect(await read(code)).toEqual(revoked);
    }
  });

  it.each([
    ["de-AT,de;q=0.9", "2 von 5 Stempeln"],
    ["fr", "2 tampons sur 5"],
    ["es-MX", "2 de 5 sellos"],
    ["pt-BR", "2 de 5 carimbos"],
    ["ja, es;q=0.3, de;q=0.5", "2 von 5 Stempeln"],
    ["de;q=0, *", "2 of 5 stamps"],
    ["", "2 of 5 stamps"],
    ["x".repeat(5_000), "2 of 5 stamps"],
  ])("is in the language of the browser: %s", async (accepted, expectedText) => {
    const { acme, card, get } = await openShop();
    const pass = await acme.passes.create(card.id, { user: ada });
    await acme.stamps.add(pass.id, { count: 2 });
    const page = await get(`/c/${pass.qrCodeValue.split("/").at(-1)}`, { "accept-language": accepted });
    const text = await page.text();
    expect(text).toContain(expectedText);
    expect(text).toContain(`<html lang="${page.headers.get("content-language")}" dir="ltr">`);
  });

  it("has wallet buttons if there are links, and works without them if they fail", async () => {
    const errors: unknown[] = [];
    let isBroken = false;
    const { acme, card, get } = await openShop({
      walletLinks: async (organizationId, passId) => {
        if (isBroken) throw new Error("no wallets today");
        return [{ wallet: "apple", url: `https://wallet.example/${organizationId}/${passId}?a=1&b="` }];
      },
      onError: (error) => errors.push(error),
    });
    const pass = await acme.passes.create(card.id, { user: ada });
    const path = `/c/${pass.qrCodeValue.split("/").at(-1)}`;
    expect(await (await get(path)).text()).toContain("Add to Apple Wallet");
    isBroken = true;
    const page = await get(path);
    expect([page.status, errors.length]).toEqual([200, 1]);
    expect(await page.text()).not.toContain("Apple");
  });

  it("changes nothing for a HEAD request that checks whether the card exists", async () => {
    const calls: string[] = [];
    const { loyalty, acme, card, get, send } = await openShop({
      storage: recordCalls(memoryStorage(), calls),
    });
    onTestFinished(
      serviceInternals(loyalty)
        .createWalletBackend(0)
        .attachLinker(() => ({ apple: "https://a.example/x", google: null })),
    );
    const path = `/c/${(await acme.passes.create(card.id, { user: ada })).qrCodeValue.split("/").at(-1)}`;
    calls.length = 0;
    const head = await send(path, { method: "HEAD" });
    expect([head.status, head.headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect((await send("/c/neverGiven12", { method: "HEAD" })).status).toBe(404);
    expect(calls).not.toContain("transaction");
    expect(await (await get(path)).text()).toContain("Add to Apple Wallet");
  });

  it("shows the wallet owners' badges instead of plain links, if the host has them", async () => {
    const directory = mkdtempSync(join(tmpdir(), "badges-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const addFile = (name: string, content: string | Uint8Array) => {
      writeFileSync(join(directory, name), content);
      return join(directory, name);
    };
    const apple = addFile(
      "apple.svg",
      '<?xml version="1.0"?>\n<!-- of theirs -->\n<svg xmlns="http://www.w3.org/2000/svg"/>',
    );
    const { acme, card, get } = await openShop({
      badges: { apple },
      walletLinks: async () => [
        { wallet: "apple", url: "https://shop.example/a" },
        { wallet: "google", url: "https://shop.example/g" },
      ],
    });
    const pass = await acme.passes.create(card.id, { user: ada });
    const page = await get(`/c/${pass.qrCodeValue.split("/").at(-1)}`);
    const text = await page.text();
    expect(text).toMatch(
      /<a class="badge" href="[^"]+\/a"><img src="data:image\/svg\+xml;base64,[\w+/=]+" alt="Add to Apple Wallet">/,
    );
    expect(text).toContain('<a href="https://shop.example/g">');
    expect(page.headers.get("content-security-policy")).toContain("img-src data:");

    for (const [content, complaint] of [
      ["no picture", "Google's badge is neither PNG nor SVG"],
      [`<svg>${"x".repeat(65_536)}`, "Google's badge is larger than 64 KiB"],
    ] as const) {
      const google = addFile("google.png", content);
      await expect(openShop({ badges: { google } })).rejects.toThrow(complaint);
    }
    const google = join(directory, "none");
    await expect(openShop({ badges: { google } })).rejects.toThrow("can't be read");
  });

  it("runs only its own script, and can't be framed, cached or indexed by search engines", async () => {
    const { acme, card, get } = await openShop();
    const pass = await acme.passes.create(card.id, { user: ada });
    const { headers } = await get(`/c/${pass.qrCodeValue.split("/").at(-1)}`);
    const policy = headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/script-src 'sha256-[^']+'/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain("unsafe");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-robots-tag")).toBe("noindex");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("shows a name that contains HTML as text", async () => {
    const { acme, get } = await openShop();
    const name = `</title><script>alert(1)</script>`;
    const card = await acme.templates.create({ name, type: "LOYALTY_CARD" });
    const pass = await acme.passes.create(card.id, { user: ada });
    for (const path of [`/c/${pass.qrCodeValue.split("/").at(-1)}`, `/join/${card.id}`]) {
      expect(await (await get(path)).text()).not.toContain("<script>alert");
    }
  });
});

describe("the card page of an imported code", () => {
  it.each(["客1", "A.1", "a+b", "é", '"1"', "..."])("opens with its link, for the code %s", async (code) => {
    const { acme, card, get, listMails } = await openShop({ sendsMail: true });
    await acme.passes.import([{ ...ada, passes: [{ templateId: card.id, code }] }], { notify: true });
    const page = await get(`/c/${encodeURIComponent(code)}`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("0 of 5 stamps");
    const [job] = await listMails();
    expect(job?.link).toMatch(/^\/c\/[!-~]+\?m=[\w-]+$/);
    const answer = await get(job?.link ?? "");
    expect(answer.status).toBe(200);
  });

  it.each(["%", "%FF", "%00", "%2e%2e%2f", "%2F", ".%20"])("is not found for %s", async (path) => {
    const { get } = await openShop();
    expect((await get(`/c/${path}`)).status).toBe(404);
  });
});
