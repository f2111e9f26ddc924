import { isLoyaltyError, type Organization } from "loyalty-kit";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { getRefusedFields } from "../kit/refusal.js";

/** Every text with a limit: its maximum, its field, and a call that writes it. */
const limits: Record<
  string,
  [max: number, field: string, write: (acme: Organization, text: string) => unknown]
> = {
  "a user's name": [150, "name", (acme, name) => acme.users.create({ email: someEmail(), name })],
  "a user's phone": [20, "phone", (acme, phone) => acme.users.create({ email: someEmail(), phone })],
  "a user's externalId": [
    100,
    "externalId",
    (acme, externalId) => acme.users.create({ email: someEmail(), externalId }),
  ],
  "a changed name": [
    150,
    "name",
    async (acme, name) => acme.users.update((await acme.users.create({ email: someEmail() })).id, { name }),
  ],
  "a tag's name": [100, "name", (acme, name) => acme.tags.create({ name })],
  "a tag's description": [
    500,
    "description",
    (acme, description) => acme.tags.create({ name: "VIP", description }),
  ],
  "a template's name": [150, "name", (acme, name) => acme.templates.create({ name, type: "LOYALTY_CARD" })],
  "an API token's name": [
    100,
    "name",
    (acme, name) => acme.apiTokens.create({ name, scopes: ["user:read"] }),
  ],
  "a stamp's note": [
    512,
    "note",
    async (acme, note) => {
      const card = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 5 });
      const pass = await acme.passes.create(card.id, { user: { email: someEmail() } });
      return acme.stamps.add(pass.id, { note });
    },
  ],
  "a search": [254, "search", (acme, search) => acme.contacts.list({ search })],
  "an organization's id": [100, "organizationId", (_acme, id) => openAcme().loyalty.organization(id)],
  "an inline user's name": [
    150,
    "user.name",
    async (acme, name) => {
      const card = await acme.templates.create({ name: "Card", type: "LOYALTY_CARD" });
      return acme.passes.create(card.id, { user: { email: someEmail(), name } });
    },
  ],
};

describe.each(Object.entries(limits))("%s", (_name, [max, field, write]) => {
  const writeAndRead = async (text: string): Promise<unknown> => write(openAcme().acme, text);

  it(`may have ${max} code points, even outside the basic plane`, async () => {
    await writeAndRead("a".repeat(max));
    await writeAndRead(`a${"😀".repeat(max - 1)}`);
    expect(await getRefusedFields(writeAndRead("a".repeat(max + 1)))).toEqual([field]);
    expect(await getRefusedFields(writeAndRead(`a${"😀".repeat(max)}`))).toEqual([field]);
  });

  it("is counted in NFC", async () => {
    const composable = "e\u0301";
    await writeAndRead(composable.repeat(max));
    expect(await getRefusedFields(writeAndRead(composable.repeat(max + 1)))).toEqual([field]);
  });

  it("may be four times as long before it is normalized to NFC", async () => {
    const composable = "\u03B1\u0313\u0300\u0345";
    expect(composable.normalize("NFC")).toHaveLength(1);
    await writeAndRead(`a${composable.repeat(max - 1)}`);
    expect(await getRefusedFields(writeAndRead(`a${composable.repeat(max)}\u0301`))).toEqual([field]);
  });

  it("is refused before 120 kB of reordering marks are normalized", async () => {
    const normalize = vi.spyOn(String.prototype, "normalize");
    onTestFinished(() => normalize.mockRestore());
    expect(await getRefusedFields(writeAndRead(`a${"\u0301\u0316".repeat(30_000)}`))).toEqual([field]);
    for (const text of normalize.mock.contexts) expect(`${text}`.length).toBeLessThanOrEqual(4 * max);
  });

  it("can't contain NUL or a lone surrogate", async () => {
    for (const text of ["a\0", "\uD800a", "a\uDC00", "a\uDE00\uD83D"]) {
      expect(await getRefusedFields(writeAndRead(text))).toEqual([field]);
    }
  });
});

/** Calls that accept a long text, or refuse it for its length. */
const long: Record<string, (acme: Organization, text: string) => Promise<unknown>> = {
  "the text of a wallet message": (acme, wallet) =>
    acme.messages.create({
      name: "News",
      audience: { all: true },
      channels: ["email"],
      texts: [{ language: "en", wallet }],
    }),
  "the text of an email": (acme, text) =>
    acme.messages.create({
      name: "News",
      audience: { all: true },
      channels: ["email"],
      texts: [{ language: "en", text: text.slice(0, 79_999) }],
    }),
  "the message of an automation": (acme, subject) =>
    acme.automations.create({
      name: "Welcome",
      on: { event: "user.created" },
      do: [{ message: { channels: ["email"], texts: [{ language: "en", subject, text: "t" }] } }],
    }),
  "the value of a filter": (acme, equals) =>
    acme.segments.query({ filter: { operator: "AND", conditions: [{ metadata: { path: ["a"], equals } }] } }),
};

it.each(Object.entries(long))("%s has few reordering marks normalized at a time", async (_name, write) => {
  const { acme } = openAcme();
  const normalize = vi.spyOn(String.prototype, "normalize");
  onTestFinished(() => normalize.mockRestore());
  await write(acme, `a${"\u0301\u0316".repeat(200_000)}`).catch((error) =>
    expect(isLoyaltyError(error), String(error)).toBe(true),
  );
  for (const text of normalize.mock.contexts) expect(`${text}`.length).toBeLessThanOrEqual(200);
});
