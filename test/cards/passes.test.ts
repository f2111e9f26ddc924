import fc from "fast-check";
import { LoyaltyService, type Organization } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { getByEmail, openAcme, someEmail } from "../kit/acme.js";
import { everyAdapter } from "../kit/every-adapter.js";
import { getErrorDetail, getRefusedFields, notFound, untyped } from "../kit/refusal.js";
import { storedRuns } from "../properties/runs.js";

const createTemplate = (acme: Organization) =>
  acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 10 });

describe.each(everyAdapter)("passes on $name", ({ name, open }) => {
  it("are issued to a user, also several from one template", async () => {
    const { acme, clock } = openAcme({ storage: await open(), shortLinkBase: "https://go.example/p" });
    const card = await createTemplate(acme);
    const user = await acme.users.create({ email: someEmail() });
    const pass = await acme.passes.create(card.id, { userId: user.id });
    expect(pass).toEqual({
      id: expect.stringMatching(/^wp_[0-9a-f-]{36}$/),
      object: "wallet_pass",
      userId: user.id,
      templateId: card.id,
      qrCodeValue: expect.stringMatching(/^https:\/\/go\.example\/p\/[0-9A-Za-z]{12}$/),
      isPreviewPass: false,
      installationStatus: null,
      createdAt: clock.timestamp,
      updatedAt: clock.timestamp,
    });
    expect(await acme.passes.get(pass.id)).toEqual(pass);
    const second = await acme.passes.create(card.id, { userId: user.id });
    expect(second.qrCodeValue).not.toBe(pass.qrCodeValue);
    const stampProgress = { templateId: card.id, currentStamps: 0, maxStamps: 10, timesCompleted: 0 };
    expect(await acme.passes.ofUser(user.id)).toEqual([
      {
        ...pass,
        template: card,
        stampProgress: { ...stampProgress, passId: pass.id },
        pointCard: null,
        rewardsAvailable: 0,
      },
      {
        ...second,
        template: card,
        stampProgress: { ...stampProgress, passId: second.id },
        pointCard: null,
        rewardsAvailable: 0,
      },
    ]);
  });

  it("are previews only if the call's options say so", async () => {
    const { acme } = openAcme({ storage: await open() });
    const card = await createTemplate(acme);
    const user = { email: someEmail() };
    const preview = await acme.passes.create(card.id, { user }, { isPreviewPass: true });
    expect(await acme.passes.get(preview.id)).toMatchObject({ isPreviewPass: true });
    const previewInput = untyped({ userId: preview.userId, isPreviewPass: true });
    expect((await acme.passes.create(card.id, previewInput)).isPreviewPass).toBe(false);
  });

  it("are found by their QR value and its bare code, and by nothing else", async () => {
    const { acme } = openAcme({ storage: await open(), shortLinkBase: "https://go.example/p/" });
    const card = await createTemplate(acme);
    const pass = await acme.passes.create(card.id, { user: { email: someEmail() } });
    const code = pass.qrCodeValue.slice("https://go.example/p/".length);
    const found = await acme.passes.lookup(pass.qrCodeValue);
    expect(found).toMatchObject({ ...pass, template: card, stampProgress: { passId: pass.id } });
    expect(await acme.passes.lookup(code)).toEqual(found);
    for (const other of [
      `https://other.example/p/${code}`,
      `http://go.example/p/${code}`,
      `https://go.example/${code}`,
      `https://go.example/p//${code}`,
      `https://go.example/p/${code}//`,
      `https://go.example/p/x/${code}`,
      `/${code}`,
      `?${code}`,
      code.toLowerCase() + code.toUpperCase(),
      code.slice(1),
      pass.id,
      "https://go.example/p/",
    ]) {
      expect(await getErrorDetail(acme.passes.lookup(other))).toEqual(notFound);
    }
    await acme.passes.delete(pass.id);
    expect(await getErrorDetail(acme.passes.lookup(pass.qrCodeValue))).toEqual(notFound);
    expect(await getErrorDetail(acme.passes.lookup(code))).toEqual(notFound);
  });

  it("are found by their QR value despite what scanners and link tools add to it", async () => {
    const { acme } = openAcme({
      storage: await open(),
      shortLinkBase: "https://go.example/p",
      previousShortLinkBases: ["http://old.example", "https://older.example/cards/"],
    });
    const card = await createTemplate(acme);
    const pass = await acme.passes.create(card.id, { user: { email: someEmail() } });
    const code = pass.qrCodeValue.slice("https://go.example/p/".length);
    for (const value of [
      code,
      pass.qrCodeValue,
      `HTTPS://GO.EXAMPLE/p/${code}`,
      `http://old.example/${code}`,
      `https://older.example/cards/${code}`,
    ]) {
      for (const scannedCode of [
        value,
        ` ${value}\r\n`,
        `${value}/`,
        `${value}?utm_source=mail`,
        `${value}/#top`,
      ]) {
        expect(await acme.passes.lookup(scannedCode)).toMatchObject({ id: pass.id });
      }
    }
    expect(await getErrorDetail(acme.passes.lookup(`https://old.example/${code}`))).toEqual(notFound);
  });

  it.each(["客1", "é", "A.1", "a+b", "<i>", '"1"', "a:b@c", "…", "😀", "[x]", "a&b=c", "...", "~'()*!"])(
    "are found by an imported code such as %s, however its link is encoded",
    async (code) => {
      const { acme } = openAcme({
        storage: await open(),
        shortLinkBase: "https://münchen.example/Karte ü/c",
        previousShortLinkBases: ["https://xn--mnchen-3ya.example/%C3%BC"],
      });
      const { id: templateId } = await createTemplate(acme);
      const user = { email: someEmail() };
      await acme.passes.import([{ ...user, passes: [{ templateId, code }] }]);
      const { id: userId } = await getByEmail(acme.users, user);
      const [pass] = await acme.passes.ofUser(userId);
      const { page } = await acme.passes.walletLinks(pass?.id ?? "");
      const encodedCode = encodeURIComponent(code);
      for (const scannedCode of [
        ...[
          code,
          encodedCode,
          ` ${encodedCode}\n`,
          pass?.qrCodeValue ?? "",
          page,
          new URL(page).href,
          encodeURIComponent(pass?.qrCodeValue ?? ""),
        ],
        `HTTPS://XN--MNCHEN-3YA.EXAMPLE:443/Karte%20%c3%bc/c/${encodedCode}/?utm=100%`,
        `https://MÜNCHEN.example/ü/${code}`,
        `https://xn--mnchen-3ya.example/%c3%bc/${encodedCode}#top`,
      ])
        expect(await acme.passes.lookup(scannedCode)).toMatchObject({ id: pass?.id });
      for (const other of [
        `${code}%`,
        `${encodedCode}%FF`,
        `%00${encodedCode}`,
        `https://munchen.example/${encodedCode}`,
      ])
        expect(await getErrorDetail(acme.passes.lookup(other))).toEqual(notFound);
    },
  );

  it("are found by any valid imported code, bare, in its link and in the link of its page", async () => {
    const { acme } = openAcme({ storage: await open(), shortLinkBase: "https://münchen.example/Karte ü/c" });
    const { id: templateId } = await createTemplate(acme);
    const codes = fc.string({
      unit: fc.constantFrom(..."aZ0.-_~!$&'()*+,;=:@<>[]^`{|}\"é客😀%/?# \\\u0301"),
      minLength: 1,
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(codes, async (code) => {
        const user = { email: someEmail() };
        const { failed } = await acme.passes.import([{ ...user, passes: [{ templateId, code }] }]);
        if (failed.length > 0) return;
        const { id: userId } = await getByEmail(acme.users, user);
        const [pass] = await acme.passes.ofUser(userId);
        const { page } = await acme.passes.walletLinks(pass?.id ?? "");
        const link = pass?.qrCodeValue ?? "";
        for (const scannedCode of [
          code,
          encodeURIComponent(code),
          link,
          page,
          new URL(page).href,
          `${page}/?a=b#c`,
          ` ${link}\n`,
        ])
          expect(await acme.passes.lookup(scannedCode)).toMatchObject({ id: pass?.id });
      }),
      storedRuns(120, name),
    );
  });

  it("are found under any loopback host and port if their short link base is a loopback address", async () => {
    const { acme } = openAcme({ storage: await open(), shortLinkBase: "http://127.0.0.1:3000/c" });
    const card = await createTemplate(acme);
    const pass = await acme.passes.create(card.id, { user: { email: someEmail() } });
    const code = pass.qrCodeValue.slice("http://127.0.0.1:3000/c/".length);
    for (const origin of [
      "127.0.0.1:8080",
      "127.0.0.1",
      "localhost:1",
      "LOCALHOST",
      "[::1]:65535",
      "[::1]",
    ]) {
      expect(await acme.passes.lookup(`http://${origin}/c/${code}`)).toMatchObject({ id: pass.id });
      expect(await acme.passes.lookup(`https://${origin}/c/${code}`)).toMatchObject({ id: pass.id });
    }
    for (const other of [
      "localhost/d",
      "localhost/c/c",
      "localhost",
      "localhost.example/c",
      "a@localhost/c",
    ]) {
      expect(await getErrorDetail(acme.passes.lookup(`http://${other}/${code}`))).toEqual(notFound);
    }
    expect(await getErrorDetail(acme.passes.lookup(`/c/${code}`))).toEqual(notFound);
  });

  it.each(["go.example/p", "cafe:card", "https://", "/c"])(
    "can't have the short link base %s, which no phone opens",
    async (base) => {
      const storage = await open();
      expect(() => new LoyaltyService({ storage, shortLinkBase: base })).toThrow(
        "must begin with https:// or http://",
      );
      expect(() => new LoyaltyService({ storage, previousShortLinkBases: [base] })).toThrow(TypeError);
    },
  );

  it.each(["https://go.example/p?x=1", "https://go.example/p#x", "https://go.example/?"])(
    "can't have the short link base %s, after which a code would be lost",
    async (base) => {
      const storage = await open();
      expect(() => new LoyaltyService({ storage, shortLinkBase: base })).toThrow(TypeError);
      expect(() => new LoyaltyService({ storage, previousShortLinkBases: [base] })).toThrow(TypeError);
    },
  );

  it("are found only under their own template if the call names one", async () => {
    const { acme } = openAcme({ storage: await open() });
    const [card, other] = [await createTemplate(acme), await createTemplate(acme)];
    const pass = await acme.passes.create(card.id, { user: { email: someEmail() } });
    expect(await acme.passes.get(pass.id, { templateId: card.id })).toEqual(pass);
    for (const templateId of [other.id, "none", ""]) {
      expect(await getErrorDetail(acme.passes.get(pass.id, { templateId }))).toEqual(notFound);
      expect(await getErrorDetail(acme.passes.delete(pass.id, { templateId }))).toEqual(notFound);
    }
    await acme.passes.delete(pass.id, { templateId: card.id });
    expect(await getErrorDetail(acme.passes.get(pass.id))).toEqual(notFound);
  });

  it("can be installed, uninstalled and installed again", async () => {
    const { acme } = openAcme({ storage: await open() });
    const card = await acme.templates.create({ name: "Card", type: "LOYALTY_CARD" });
    const pass = await acme.passes.create(card.id, { user: { email: someEmail() } });
    expect(await getErrorDetail(acme.passes.markUninstalled(pass.id))).toEqual({
      code: "pass_never_installed",
      params: null,
    });
    expect(await acme.passes.get(pass.id)).toEqual(pass);
    for (const status of ["INSTALLED", "UNINSTALLED", "INSTALLED"] as const) {
      const markPass = () =>
        status === "INSTALLED" ? acme.passes.markInstalled(pass.id) : acme.passes.markUninstalled(pass.id);
      const markedPass = await markPass();
      expect(markedPass).toMatchObject({ installationStatus: status, template: card, stampProgress: null });
      expect(await markPass()).toEqual(markedPass);
      expect(await acme.passes.lookup(pass.qrCodeValue)).toEqual(markedPass);
    }
  });

  it("are deleted with their user, and so are their stamps", async () => {
    const { acme } = openAcme({ storage: await open() });
    const card = await createTemplate(acme);
    const pass = await acme.passes.create(card.id, { user: { email: someEmail() } });
    await acme.stamps.add(pass.id);
    await acme.users.delete(pass.userId);
    for (const call of [
      () => acme.passes.get(pass.id),
      () => acme.passes.lookup(pass.qrCodeValue),
      () => acme.passes.ofUser(pass.userId),
      () => acme.stamps.state(pass.id),
      () => acme.stamps.history(pass.id),
    ]) {
      expect(await getErrorDetail(call())).toEqual(notFound);
    }
    expect((await acme.contacts.list({ templateId: card.id })).totalElements).toBe(0);
  });
});

describe("a new pass", () => {
  it("requires exactly one of userId and user", async () => {
    const { acme } = openAcme();
    const card = await createTemplate(acme);
    const { id: userId } = await acme.users.create({ email: someEmail() });
    const user = { email: someEmail() };
    expect(await getRefusedFields(acme.passes.create(card.id, untyped({})))).toEqual(["userId"]);
    expect(await getRefusedFields(acme.passes.create(card.id, untyped({ userId, user })))).toEqual([
      "userId",
    ]);
    const wrongUser = { email: "ada", name: " ", externalId: userId };
    const scopeNames = ["user.email", "user.externalId", "user.name"];
    expect(await getRefusedFields(acme.passes.create(card.id, { user: wrongUser }))).toEqual(scopeNames);
    expect((await acme.contacts.list()).totalElements).toBe(1);
  });

  it("requires an existing user and template, and otherwise creates no inline user", async () => {
    const { acme } = openAcme();
    const card = await createTemplate(acme);
    expect(await getErrorDetail(acme.passes.create(card.id, { userId: "nobody" }))).toEqual(notFound);
    expect(await getErrorDetail(acme.passes.create("none", { user: { email: someEmail() } }))).toEqual(
      notFound,
    );
    expect((await acme.contacts.list()).totalElements).toBe(0);
  });
});
