import fc from "fast-check";
import { isLoyaltyError } from "loyalty-kit";
import { createClient } from "loyalty-kit/client";
import { expect, it } from "vitest";
import { openAcme, someEmail } from "../kit/acme.js";
import { runs } from "../properties/runs.js";
import { createFetch, createHttpClient, openDisturbed } from "./over-http.js";

/** Texts with characters that are special in paths, queries and headers. */
const texts = fc.oneof(
  fc.string({ unit: fc.constantFrom(..."aé客😀\u0301\u200D \t%2fF/?#&=+;,.:\\\"'<>"), maxLength: 8 }),
  fc.string({ unit: "binary", maxLength: 8 }),
  fc.stringMatching(/^[.%2eE/]{1,4}$/),
);

it("A client finds a customer by every external id that the service accepts", async () => {
  const { loyalty, acme } = openAcme();
  const client = createHttpClient(loyalty, "acme");
  await fc.assert(
    fc.asyncProperty(texts, async (externalId) => {
      const creation = await acme.users
        .create({ email: "ada@example.com", externalId })
        .catch((error: unknown) => {
          if (isLoyaltyError(error, "validation_failed")) return null;
          throw error;
        });
      if (creation === null) return;
      expect(await client.users.get(externalId)).toEqual(creation);
      await client.users.delete(externalId);
    }),
    runs(200),
  );
});

it("A client searches for exactly the given text", async () => {
  const { client, acme } = openDisturbed([]);
  await acme.users.create({ name: "a&b=c+d %41 é客", email: "ada@example.com" });
  await acme.users.create({ name: "aé客😀?#", email: "bob@example.com" });
  await fc.assert(
    fc.asyncProperty(texts, async (search) => {
      fc.pre(search.isWellFormed() && !search.includes("\0"));
      expect(await client.contacts.list({ search })).toEqual(await acme.contacts.list({ search }));
    }),
    runs(200),
  );
});

it("A client and a bare header use the same idempotency key for a text, and another key for each other text", async () => {
  const { loyalty } = openAcme();
  const client = createHttpClient(loyalty, "acme");
  const handler = createFetch(loyalty);
  const keys = fc.oneof(fc.stringMatching(/^[!-~]([ -~]{0,9}[!-~])?$/), fc.stringMatching(/^[!"\\,;]{1,4}$/));
  const createdIds = new Map<string, string>();
  await fc.assert(
    fc.asyncProperty(keys, async (key) => {
      const email = `${Buffer.from(key).toString("hex")}@example.com`;
      const { id } = await client.users.create({ email, idempotencyKey: key });
      expect([...createdIds].filter(([, other]) => other === id).map(([key]) => key)).toEqual(
        createdIds.has(key) ? [key] : [],
      );
      createdIds.set(key, id);
      // An unquoted header with a comma and a space may have been two headers.
      if (key.startsWith('"') || key.includes(", ")) return;
      const headers = {
        authorization: "Bearer acme",
        "content-type": "application/json",
        "idempotency-key": key,
      };
      const body = JSON.stringify({ email });
      const response = await handler("https://api.example/loyalty/v1/users", {
        method: "POST",
        headers,
        body,
      });
      expect(await response.json()).toMatchObject({ id });
    }),
    runs(200),
  );
});

it("A client sends the actor for whom it calls, and the events contain it", async () => {
  const { loyalty, acme } = openAcme();
  await fc.assert(
    fc.asyncProperty(texts, texts, async (subject, location) => {
      fc.pre(
        [subject, location].every((text) => text.isWellFormed() && !/\0/.test(text) && text.trim() !== ""),
      );
      const actor = { subject, location };
      const client = createClient({
        ...{ url: "https://api.example/loyalty", token: "acme", fetch: createFetch(loyalty) },
        actor,
      });
      const { id: userId } = await client.users.create({ email: someEmail() });
      const { content } = await acme.events.list({ userId });
      expect(content[0]?.actor).toMatchObject(actor);
    }),
    runs(200),
  );
});
