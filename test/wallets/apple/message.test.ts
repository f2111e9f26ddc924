import { memoryStorage } from "loyalty-kit/memory";
import { FakeIPhone, fieldsOf, type PassOnPhone } from "loyalty-kit/testing";
import { describe, expect, it } from "vitest";
import { everyAdapter } from "../../kit/every-adapter.js";
import { createCardToUpdate, onCards, SomeMessages } from "../some-message.js";
import { openWallets, pki } from "./wallets-scene.js";

const design = { texts: [{ language: "en" }, { language: "de" }] };

async function start(storage = memoryStorage()) {
  const shop = await openWallets(storage);
  const { acme, api, clock, template, newPass, newPhone, deliver } = shop;
  const messages = new SomeMessages(storage, clock.read);
  /**
   * Shows a text on one card. Default: in English.
   * @returns the message's id.
   */
  async function sendMessage(passId: string, texts: Parameters<typeof messages.make>[1], until?: number) {
    const id = await messages.make(template.id, texts);
    await messages.show(id, [createCardToUpdate(passId)], until);
    return id;
  }
  async function install(phone = newPhone()) {
    const pass = await newPass();
    await phone.add(pass.url);
    return { phone, ...pass };
  }
  const getFields = (phone: FakeIPhone, passId: string) => fieldsOf(phone.passes.get(passId) as PassOnPhone);
  const createPhone = (language: string) =>
    new FakeIPhone({ fetch: api.fetch, root: pki.root, deviceId: language, language, now: clock.read });
  return {
    ...shop,
    acme,
    messages,
    sendMessage,
    install,
    fields: getFields,
    createPhone,
    deliver,
  };
}

describe.each(everyAdapter)("a message on an iPhone on $name", ({ open }) => {
  it("shows on the lock screen once, is on the back of the pass, and is removed silently", async () => {
    const { acme, messages, sendMessage, install, fields, deliver } = await start(await open());
    const { id, phone } = await install();
    expect(fields(phone, id).get("message")).toMatchObject({ label: "News", value: "Nothing new right now" });
    const first = await sendMessage(id, "Cake is back");
    await deliver();
    expect(phone.messages).toEqual(["Cake is back"]);
    expect(fields(phone, id).get("message")).toMatchObject({ label: "News", value: "Cake is back" });
    await acme.stamps.add(id);
    await deliver();
    await messages.clear(first);
    await deliver();
    expect(fields(phone, id).get("message")).toMatchObject({ value: "Nothing new right now" });
    await sendMessage(id, "Tea is back, too");
    await deliver();
    expect(phone.messages).toEqual(["Cake is back", "4 more to go", "Tea is back, too"]);
    expect(phone.complaints).toEqual([]);
  });
});

describe("a message on an iPhone", () => {
  it("with a placeholder follows the stamps, but is announced only once", async () => {
    const { acme, sendMessage, install, fields, deliver } = await start();
    const { id, phone } = await install();
    await sendMessage(id, "You have {stamps}, {toGo} to go");
    await deliver();
    await acme.stamps.add(id, { count: 2 });
    await deliver();
    expect(fields(phone, id).get("message")?.value).toBe("You have 2, 3 to go");
    expect(phone.messages).toEqual(["You have 0, 5 to go", "3 more to go"]);
  });

  it.each([
    ["only the last of several changes that it missed", ["message", "stamp"], ["4 more to go"]],
    ["a message that came after a stamp", ["stamp", "message"], ["Cake is back"]],
    ["nothing for a message that was cleared", ["message", "clear"], []],
    ["only the stamps after a message was cleared", ["message", "stamp", "clear"], ["4 more to go"]],
    ["the newer of two messages", ["message", "another"], ["Tea is back"]],
    ["nothing for a new design", ["message", "design"], []],
  ] as const)(
    "is one change among others: a phone that was away announces %s",
    async (_, changes, expectedTexts) => {
      const { acme, template, messages, sendMessage, install, wallets, deliver, apns } = await start();
      const { id, phone } = await install();
      const change = {
        message: () => sendMessage(id, "Cake is back"),
        another: () => sendMessage(id, "Tea is back"),
        stamp: () => acme.stamps.add(id),
        clear: () => messages.clear("msg_1"),
        design: () => acme.templates.update(template.id, { design: { backgroundColor: "#102030" } }),
      };
      for (const each of changes) {
        await change[each]();
        // Apple accepts the push, but the phone doesn't receive it.
        await wallets.runOnce();
      }
      expect(apns.pushes.length).toBeGreaterThan(0);
      await phone.pushed();
      expect(phone.messages).toEqual(expectedTexts);
      await deliver();
      await phone.refresh(id);
      expect(phone.messages).toEqual(expectedTexts);
    },
  );

  it("has the only changeMessage of its pass while it is the newest change, and none otherwise", async () => {
    const { acme, sendMessage, install, fields, deliver } = await start();
    const { id, phone } = await install();
    const listAnnounced = () =>
      [...fields(phone, id).values()].filter(({ changeMessage }) => changeMessage).map(({ key }) => key);
    expect(listAnnounced()).toEqual(["next"]);
    await sendMessage(id, "Cake is back");
    await deliver();
    expect(listAnnounced()).toEqual(["message"]);
    await acme.stamps.add(id);
    await deliver();
    expect(listAnnounced()).toEqual(["next"]);
  });

  it("isn't announced again when a phone fetches the pass again or adds it again", async () => {
    const { acme, sendMessage, install, deliver } = await start();
    const { id, url, phone } = await install();
    await sendMessage(id, "Cake is back, {name}");
    await deliver();
    const { userId } = await acme.passes.get(id);
    await acme.users.update(userId, { name: "Ada" });
    expect(await phone.refresh(id)).toBe(304);
    await phone.register(id);
    await deliver();
    expect(phone.messages).toHaveLength(1);
    await phone.remove(id);
    await phone.add(url);
    await deliver();
    expect(phone.messages).toHaveLength(1);
  });

  it("disappears silently at its time, even if it hasn't been removed yet", async () => {
    const { clock, sendMessage, install, fields, deliver, acme, template } = await start();
    const { id, phone } = await install();
    await sendMessage(id, "Today alone", clock.now + 60_000);
    await deliver();
    clock.move(60_000);
    await acme.templates.update(template.id, { design: { backgroundColor: "#102030" } });
    await deliver();
    expect(fields(phone, id).get("message")?.value).toBe("Nothing new right now");
    expect(phone.messages).toEqual(["Today alone"]);
  });

  it("is in the language of the phone, if the message or the design has it", async () => {
    const { acme, template, sendMessage, install, createPhone, deliver } = await start();
    await acme.templates.update(template.id, { design });
    const texts = [
      onCards("de", "Kuchen für {name}"),
      onCards("en", "Cake for {name}"),
      onCards("fr", "Gâteau"),
    ];
    const textsByPhone: Record<string, readonly string[]> = {};
    for (const language of ["en", "de-AT", "fr", "pt"]) {
      const { id, phone } = await install(createPhone(language));
      const { userId } = await acme.passes.get(id);
      await acme.users.update(userId, { name: "Ada" });
      await sendMessage(id, texts);
      await deliver();
      await phone.pushed();
      textsByPhone[language] = phone.messages;
    }
    expect(textsByPhone).toEqual({
      en: ["Cake for Ada"],
      "de-AT": ["Kuchen für Ada"],
      fr: ["Gâteau"],
      pt: ["Cake for Ada"],
    });
  });

  it("shows exactly what the shop wrote, and makes no link out of a customer's name", async () => {
    const { acme, template, sendMessage, install, fields, deliver } = await start();
    await acme.templates.update(template.id, { design });
    const texts = 'Say "%@" & <b>{name}</b> \\n $& %d 🎂 = "x";';
    const names = ['"Eve" %1$s %n;', "<a href=x>Eve</a>", "evil.example/path", 'Eve\r\n"a" = "b";'];
    const shownTexts: string[] = [];
    for (const name of names) {
      const { id, phone } = await install();
      const { userId } = await acme.passes.get(id);
      await acme.users.update(userId, { name });
      await sendMessage(id, [onCards("en", texts), onCards("de", `Auf Deutsch: ${texts}`)]);
      await deliver();
      expect(fields(phone, id).get("message")).not.toHaveProperty("attributedValue");
      shownTexts.push(...phone.messages);
    }
    const createText = (name: string) => `Say "%@" & <b>${name}</b> \\n $& %d 🎂 = "x";`;
    expect(shownTexts).toEqual([
      createText('"Eve" %1$s %n;'),
      createText("Eve"),
      createText(""),
      createText('Eve "a" = "b";'),
    ]);
  });

  it("isn't on a void pass", async () => {
    const { acme, sendMessage, install, fields, deliver } = await start();
    const { id, phone } = await install();
    await sendMessage(id, "Cake is back");
    await acme.passes.delete(id);
    await deliver();
    expect(fields(phone, id).has("message")).toBe(false);
    expect(phone.messages).toEqual([]);
  });

  it("is also on the back of a card without stamps, in the only field that announces changes", async () => {
    const { acme, messages, newPass, newPhone, fields, deliver } = await start();
    const member = await acme.templates.create({ name: "Member", type: "LOYALTY_CARD" });
    const { id, url } = await newPass(member.id);
    const phone = newPhone();
    await phone.add(url);
    expect(fields(phone, id).get("message")).toMatchObject({ value: "Nothing new right now" });
    await messages.show(await messages.make(member.id, "{card} of {stamps}"), [createCardToUpdate(id)]);
    await deliver();
    expect(phone.messages).toEqual(["Member of 0"]);
  });
});
