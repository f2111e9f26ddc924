import fc from "fast-check";
import { isLoyaltyError, type Organization } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { adapters } from "../kit/adapters.js";
import { getErrorDetail } from "../kit/refusal.js";
import { filledTexts } from "./arbitraries.js";
import { newOrganizations } from "./organizations.js";
import { runs } from "./runs.js";

/** Creates a tag of this name. @returns its slug, or `null` if the name gives none. */
async function createTagSlug(acme: Organization, name: string): Promise<string | null> {
  try {
    return (await acme.tags.create({ name })).slug;
  } catch (error) {
    if (isLoyaltyError(error, "validation_failed")) return null;
    throw error;
  }
}

describe("a tag's slug", () => {
  const newOrganization = newOrganizations(adapters.memory);
  const names = fc.oneof(
    filledTexts(100),
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }).filter(isName),
  );

  it("consists of lower-case ASCII words joined by single hyphens, with at most 100 characters", async () => {
    await fc.assert(
      fc.asyncProperty(names, async (name) => {
        const slug = await createTagSlug(newOrganization(), name);
        expect(slug ?? "a").toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
        expect(slug?.length ?? 0).toBeLessThanOrEqual(100);
        if (/[a-z0-9]/i.test(name)) expect(slug).not.toBeNull();
      }),
      runs(500),
    );
  });

  it("is the same for every composition and every time, and is its own slug", async () => {
    await fc.assert(
      fc.asyncProperty(names, async (name) => {
        const acme = newOrganization();
        const slug = await createTagSlug(acme, name);
        expect(await createTagSlug(newOrganization(), name)).toBe(slug);
        expect(await createTagSlug(newOrganization(), name.normalize("NFD").slice(0, 100))).toBe(
          await createTagSlug(newOrganization(), name.normalize("NFD").slice(0, 100).normalize("NFC")),
        );
        if (slug === null) return;
        const takenError = { code: "user_tag_already_exists", params: [slug] };
        expect(await getErrorDetail(acme.tags.create({ name: slug }))).toEqual(takenError);
        expect(await getErrorDetail(acme.tags.create({ name: ` ${slug.toUpperCase()} ` }))).toEqual(
          takenError,
        );
        expect((await acme.tags.get(slug)).name).toBe(name.trim());
      }),
      runs(200),
    );
  });
});

function isName(text: string): boolean {
  return text.trim() !== "" && !text.includes("\0") && text.isWellFormed();
}
