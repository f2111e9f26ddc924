import { invalid } from "../../errors.js";
import type { Recorder } from "../../events/recording.js";
import { userTagOf } from "../../resources/representation.js";
import { StorageConflict, type StorageTransaction } from "../../storage/storage-adapter.js";
import type { StoredAssignment, StoredTag } from "../../storage/tags.js";
import type { StoredUser } from "../../storage/users.js";
import { insertTag } from "../../tags/insert-tag.js";
import type { Tenant } from "../../tenant/tenant.js";
import type { NamedTag } from "./row.js";

/** How many assignments storage takes at a time. */
const MOST_ASSIGNMENTS = 1_000;

interface Gift {
  readonly user: StoredUser;
  readonly tag: StoredTag;
}

/** The tags of the rows of one transaction: each is looked up once, and all are assigned together. */
export class ImportTags {
  private readonly known = new Map<string, StoredTag | null>();
  /** By user and tag, so that each is there once. */
  private readonly gifts = new Map<string, Gift>();

  /** How many tags the organization has; `null` until that is asked. */
  private present: number | null = null;

  constructor(
    private readonly tenant: Tenant,
    private readonly tx: StorageTransaction,
    private readonly record: Recorder,
    private readonly mayCreate: boolean,
  ) {}

  /**
   * @throws {LoyaltyError} `validation_failed` naming those that do not exist, unless they may be created; when there would be
   *   too many tags.
   */
  async check(tags: readonly NamedTag[]): Promise<void> {
    const missing: string[] = [];
    for (const { slug, name } of tags) if ((await this.find(slug)) === null) missing.push(name);
    if (this.mayCreate && (missing.length === 0 || missing.length <= (await this.room()))) return;
    if (this.mayCreate) throw invalid({ tags: "the organization may not have so many tags" });
    if (missing.length > 0) throw invalid({ tags: `there is no tag ${missing.join(", ")}` });
  }

  /** Notes that {@link assign} is to give a user these tags, and creates those that are missing. */
  async give(user: StoredUser, tags: readonly NamedTag[]): Promise<void> {
    for (const named of tags) {
      const tag = (await this.find(named.slug)) ?? (await this.create(named));
      this.gifts.set(`${user.ordinal} ${tag.id}`, { user, tag });
    }
  }

  /** Assigns what users were given and do not have yet. */
  async assign(): Promise<void> {
    const gifts = [...this.gifts.values()];
    // One time for all, since a clock may go back: the ids alone keep the order of a row's tags.
    const createdAt = this.tenant.now();
    for (let start = 0; start < gifts.length; start += MOST_ASSIGNMENTS) {
      const byId = new Map(
        gifts.slice(start, start + MOST_ASSIGNMENTS).map((gift) => [this.tenant.newId("uta"), gift]),
      );
      const assignments = Array.from(byId, ([id, { user, tag }]): StoredAssignment => {
        return { id, userOrdinal: user.ordinal, tagId: tag.id, createdAt };
      });
      for (const { id } of await this.tx.assignTags(this.tenant.organizationId, assignments)) {
        const gift = byId.get(id);
        if (gift !== undefined) this.tell(gift);
      }
    }
  }

  private tell({ user, tag }: Gift): void {
    this.record("user_tag.assigned", { userId: user.id, userTag: userTagOf(tag) });
  }

  private async find(slug: string): Promise<StoredTag | null> {
    const known = this.known.get(slug);
    if (known !== undefined) return known;
    const tag = await this.tx.findTag(this.tenant.organizationId, slug);
    this.known.set(slug, tag);
    return tag;
  }

  /** How many tags may be created. */
  private async room(): Promise<number> {
    const { organizationId, engine } = this.tenant;
    this.present ??= await this.tx.countOf(organizationId, "tags");
    return engine.limits.tags - this.present;
  }

  private async create(named: NamedTag): Promise<StoredTag> {
    const tag = await insertTag(this.tenant, this.tx, this.record, named).catch(async (error: unknown) => {
      if (!(error instanceof StorageConflict)) throw error;
      // Another transaction has made it since the look.
      const theirs = await this.tx.findTag(this.tenant.organizationId, named.slug);
      if (theirs === null) throw error;
      return theirs;
    });
    this.known.set(named.slug, tag);
    if (this.present !== null) this.present += 1;
    return tag;
  }
}
