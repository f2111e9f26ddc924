import { invalid } from "../errors.js";
import type { ReadDesign } from "../resources/design.js";
import { choiceOf, type PictureChoice } from "../resources/fields/picture.js";
import type { Tenant } from "../tenant/tenant.js";

/**
 * A design with its pictures as they are to be kept. They are decoded one by one, and before any transaction.
 * @throws {LoyaltyError} `validation_failed` on those that can't be decoded; `storage_unavailable` when too many wait.
 */
export async function decodedDesign<None extends null | undefined>(
  tenant: Tenant,
  design: ReadDesign | None,
): Promise<ReadDesign | None> {
  if (design == null) return design;
  const { engine, organizationId } = tenant;
  const wrong: Record<string, string> = {};

  async function decoded(field: string, choice: PictureChoice | null): Promise<PictureChoice | null> {
    if (choice === null || choice.content === null) return choice;
    const picture = await engine.pictures.decoded(organizationId, choice.content, tenant.isJoining);
    if (typeof picture !== "string") return choiceOf(picture);
    wrong[`design.${field}`] = picture;
    return null;
  }

  const { logo, icon, strip, stamps } = design;
  const read: ReadDesign = {
    ...design,
    logo: await decoded("logo", logo),
    icon: await decoded("icon", icon),
    strip: await decoded("strip", strip),
    stamps: {
      ...stamps,
      filled: await decoded("stamps.filled", stamps.filled),
      empty: await decoded("stamps.empty", stamps.empty),
    },
  };
  if (Object.keys(wrong).length > 0) throw invalid(wrong);
  return read;
}
