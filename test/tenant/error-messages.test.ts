import fc from "fast-check";
import { isLoyaltyError, LoyaltyError, LoyaltyService, type Organization } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";
import { untyped } from "../kit/refusal.js";
import { runs } from "../properties/runs.js";

/** Returns the message of the error with which a call fails. */
async function getMessage(call: Promise<unknown>): Promise<string> {
  const error = await call.then(() => null).catch((reason: unknown) => reason);
  if (!isLoyaltyError(error)) throw error ?? new Error("the call succeeded");
  return error.message;
}

describe("the message of resource_not_found", () => {
  const lookups: Readonly<Record<string, (acme: Organization) => Promise<unknown>>> = {
    user: ({ users }) => users.get("none"),
    "user tag": ({ tags }) => tags.get("none"),
    template: ({ templates }) => templates.get("none"),
    "wallet pass": ({ passes }) => passes.get("none"),
    "API token": ({ apiTokens }) => apiTokens.delete("none"),
    app: ({ apps }) => apps.get("none"),
    grant: ({ grants }) => grants.delete("none"),
    "webhook endpoint": ({ webhooks }) => webhooks.get("none"),
    event: ({ events }) => events.get("none"),
    message: ({ messages }) => messages.get("none"),
    "message delivery": ({ messageDeliveries }) => messageDeliveries.get("none"),
    segment: ({ segments }) => segments.get("none"),
    automation: ({ automations }) => automations.get("none"),
    person: ({ people }) => people.get("none"),
  };

  it.each(Object.entries(lookups))("names the %s, the value and the organization", async (word, lookup) => {
    const message = await getMessage(lookup(openAcme().acme));
    expect(message).toMatch(new RegExp(`^No ${word} "none" in "acme"\\. [A-Z].+\\.$`));
  });

  it("says how to look up a user by email", async () => {
    const { users } = openAcme().acme;
    const message = 'No user "ada@example.com" in "acme". Look users up by email with users.find.';
    expect(await getMessage(users.get("ada@example.com"))).toBe(message);
  });

  it("names the one of many that is missing", async () => {
    const { users, tags } = openAcme().acme;
    await tags.create({ name: "VIP" });
    const { id } = await users.create({ email: "ada@example.com" });
    expect(await getMessage(tags.assignUsers("vip", { userIds: [id, "none"] }))).toContain('No user "none"');
  });

  it("suggests the slug of a name", async () => {
    const { tags, segments } = openAcme().acme;
    await tags.create({ name: "Très VIP" });
    await segments.create({
      name: "Regular Guests",
      filter: { operator: "AND", conditions: [{ slug: "tres-vip" }] },
    });
    expect(await getMessage(tags.get("Très VIP"))).toBe(
      'No user tag "Très VIP" in "acme". Did you mean "tres-vip"?',
    );
    expect(await getMessage(segments.get("Regular Guests"))).toContain('Did you mean "regular-guests"?');
    expect(await getMessage(tags.get("Gold"))).not.toContain("Did you mean");
  });

  it("says which kind of id was given", async () => {
    const { users, stamps } = openAcme().acme;
    const { id } = await users.create({ email: "ada@example.com" });
    expect(await getMessage(stamps.add(id))).toContain("That is the id of a user.");
  });

  it("is the same for another customer's data as for data that doesn't exist", async () => {
    const { loyalty, acme } = openAcme();
    await acme.users.create({ email: "ada@example.com", externalId: "ada" });
    await acme.users.create({ email: "bea@example.com", externalId: "bea" });
    const ada = loyalty.organization("acme", { user: "ada" });
    const [of, none] = [await getMessage(ada.users.get("bea")), await getMessage(ada.users.get("nix"))];
    expect(of).toBe(none.replace("nix", "bea"));
  });

  it("is one short line without markup, whatever was requested", async () => {
    const { acme } = openAcme();
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 500 }), async (value) => {
        const message = await getMessage(acme.users.get(`${value}<b>&\u2028\n`));
        expect(message.length).toBeLessThan(2_000);
        expect(message).not.toMatch(/[<>&\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        expect(message.isWellFormed()).toBe(true);
      }),
      runs(300),
    );
  });
});

describe("the message for an argument of the wrong kind", () => {
  it.each([
    [3, "a number"],
    ["vip", "a string"],
    [null, "null"],
    [[], "an array"],
  ])("says what %j is", async (value, kind) => {
    const { acme } = openAcme();
    const { id: userId } = await acme.users.create({ email: "ada@example.com" });
    const template = await acme.templates.create({ name: "Card", type: "STAMP_CARD", maxStamps: 5 });
    const { id: card } = await acme.passes.create(template.id, { userId });
    const expectedText = (use: string) => `${use}, but { … } is ${kind}.`;
    expect(await getMessage(acme.stamps.add(card, untyped(value)))).toBe(
      expectedText("stamps.add takes (passId, { … })"),
    );
    expect(await getMessage(acme.users.create(untyped(value)))).toBe(
      expectedText("users.create takes ({ … })"),
    );
    expect(await getMessage(acme.contacts.list(untyped(value)))).toBe(
      expectedText("contacts.list takes ({ … })"),
    );
    expect(await getMessage(acme.users.delete(userId, untyped(value)))).toBe(
      `users.delete takes (userId, options); options must be an object, not ${kind}`,
    );
  });

  it("says what is missing", async () => {
    const { stamps, users } = untyped(openAcme().acme);
    expect(await getMessage(stamps.add())).toBe("stamps.add takes (passId, { … }); passId is required");
    expect(await getMessage(users.create())).toBe("The argument input must be an object, not undefined.");
  });

  it("names the fields of the wrong type", async () => {
    const { users } = openAcme().acme;
    const input = untyped({ email: 1, metadata: [] });
    expect(await getMessage(users.create(input))).toBe('"email", "metadata" have the wrong type.');
  });
});

it("the code of an error determines the type of its detail", () => {
  const getField = (error: unknown): string | undefined => {
    if (isLoyaltyError(error, "access_denied")) return error.detail.scope;
    if (isLoyaltyError(error) && error.code === "validation_failed")
      return Object.keys(error.detail.fields)[0];
    if (error instanceof LoyaltyError && error.code === "user_already_exists")
      return error.detail.conflicts.email_already_exists?.[0];
    // @ts-expect-error
    return isLoyaltyError(error) ? error.detail.conflicts : undefined;
  };
  const conflicts = { email_already_exists: ["ada@example.com"] } as const;
  expect(getField(new LoyaltyError({ code: "user_already_exists", conflicts }))).toBe("ada@example.com");
  expect(getField(new LoyaltyError({ code: "access_denied", scope: "user:read" }))).toBe("user:read");
  expect(getField(new LoyaltyError({ code: "validation_failed", fields: { email: "is required" } }))).toBe(
    "email",
  );
});

it("the message of user_already_exists contains the taken values", async () => {
  const { users } = openAcme().acme;
  const ada = { email: "ada@example.com", externalId: "1" };
  await users.create(ada);
  expect(await getMessage(users.create(ada))).toBe(
    'Another user has the email "ada@example.com" and the externalId "1".',
  );
});

it("the message after closing says that trying again doesn't help", async () => {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  await loyalty.close();
  const message = await getMessage(loyalty.organization("acme").users.create({ email: "ada@example.com" }));
  expect(message).toBe("The service is closed. Trying again doesn't help. Open a new service instead.");
});
