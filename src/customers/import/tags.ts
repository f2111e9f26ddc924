import type { Step } from "../../base/concurrency/step.js";
import { validationFailed } from "../../base/errors.js";
import type { RecordEvent } from "../../kernel/events/recording.js";
import type { Tenant } from "../../kernel/tenant.js";
import { splitIntoBatches } from "../../storage/batches.js";
import { StorageConflict, type StorageTransaction } from "../../storage/storage-adapter.js";
import type { StoredAssignment, TagWithMerging } from "../../storage/tags.js";
import type { StoredUser } from "../../storage/users.js";
import { insertTag } from "../../tags/insert-tag.js";
import { settleMerges } from "../../tags/removals.js";
import { userTagOf } from "../../tags/schema.js";
import type { CheckedRow, NamedTag, ValidRow } from "./row.js";

interface QueuedAssignment {
  /** Number of the first row that assigns the tag to the user. */
  readonly row: number;
  readonly user: StoredUser;
  readonly tag: TagWithMerging;
}

/** Collects the tags from one transaction's rows. Each tag is looked up once, and all assignments are written together. */
export class ImportTags {
  private readonly known = new Map<string, TagWithMerging | null>();
  /** Queued assignments, keyed by user and tag so that each pair occurs once. */
  private readonly gifts = new Map<string, QueuedAssignment>();

  /** Number of the organization's tags; `null` until counted. */
  private present: number | null = null;

  constructor(
    private readonly tenant: Tenant,
    private readonly tx: StorageTransaction,
    private readonly record: RecordEvent,
    private readonly mayCreate: boolean,
  ) {}

  /**
   * Checks that each of a row's tags exists or can be created.
   * @throws {LoyaltyError} `validation_failed` naming the missing tags, if the import isn't allowed to create tags or creating them
   *   would exceed the limit.
   */
  *check(tags: readonly NamedTag[]): Step<void> {
    const missing: string[] = [];
    for (const { slug, name } of tags) if ((yield* this.find(slug)) === null) missing.push(name);
    if (this.mayCreate && (missing.length === 0 || missing.length <= (yield* this.remainingTags()))) return;
    if (this.mayCreate) throw validationFailed({ tags: "would exceed the organization's limit of tags" });
    if (missing.length > 0) throw validationFailed({ tags: `has unknown tags: ${missing.join(", ")}` });
  }

  /** Returns the rows that come before the first row that is invalid or has an unknown tag. */
  *takeUntilUnknown(rows: readonly CheckedRow[]): Step<ValidRow[]> {
    const found: ValidRow[] = [];
    for (const row of rows) {
      if ("errors" in row) break;
      for (const { slug } of row.tags) if ((yield* this.find(slug)) === null) return found;
      found.push(row);
    }
    return found;
  }

  /** Creates the row's missing tags and queues all of its tags for {@link assign}. */
  *queueFor(user: StoredUser, { row, tags }: ValidRow): Step<void> {
    for (const named of tags) {
      const tag = (yield* this.find(named.slug)) ?? (yield* this.create(named));
      const key = `${user.ordinal} ${tag.ordinal}`;
      if (!this.gifts.has(key)) this.gifts.set(key, { row, user, tag });
    }
  }

  /**
   * Assigns the queued tags to the users who don't have them yet.
   * @returns the numbers of the rows that led to a new assignment.
   */
  *assign(): Step<ReadonlySet<number>> {
    const rows = new Set<number>();
    const gifts = [...this.gifts.values()];
    // All assignments share one time because a clock can go back. The IDs alone keep the order of a row's tags.
    const createdAt = this.tenant.now();
    for (const some of splitIntoBatches(gifts)) {
      for (const tag of new Set(some.map((gift) => gift.tag))) {
        const users = some.flatMap((gift) => (gift.tag === tag ? [gift.user] : []));
        yield* settleMerges(this.tenant, this.tx, this.record, tag, users);
      }
      const byId = new Map(some.map((gift) => [this.tenant.newId("uta"), gift]));
      const assignments = Array.from(byId, ([id, { user, tag }]): StoredAssignment => {
        return { id, userOrdinal: user.ordinal, tagOrdinal: tag.ordinal, createdAt };
      });
      for (const { id } of yield* this.tx.assignTags(this.tenant.organizationId, assignments)) {
        const gift = byId.get(id);
        if (gift === undefined) continue;
        this.tell(gift);
        rows.add(gift.row);
      }
    }
    return rows;
  }

  private tell({ user, tag }: QueuedAssignment): void {
    this.record("user_tag.assigned", { userId: user.id, userTag: userTagOf(tag) });
  }

  private *find(slug: string): Step<TagWithMerging | null> {
    const known = this.known.get(slug);
    if (known !== undefined) return known;
    const tag = yield* this.tx.findTag(this.tenant.organizationId, slug);
    this.known.set(slug, tag);
    return tag;
  }

  /** Returns how many more tags the organization may create. */
  private *remainingTags(): Step<number> {
    const { organizationId, engine } = this.tenant;
    this.present ??= yield* this.tx.countOf(organizationId, "tags");
    return engine.config.limits.tags - this.present;
  }

  private *create(named: NamedTag): Step<TagWithMerging> {
    const tag = yield* this.insert(named);
    this.known.set(named.slug, tag);
    if (this.present !== null) this.present += 1;
    return tag;
  }

  private *insert(named: NamedTag): Step<TagWithMerging> {
    try {
      return { merging: 0, ...(yield* insertTag(this.tenant, this.tx, this.record, named)) };
    } catch (error) {
      if (!(error instanceof StorageConflict)) throw error;
      // Another transaction has created the tag since the lookup.
      const theirs = yield* this.tx.findTag(this.tenant.organizationId, named.slug);
      if (theirs === null) throw error;
      return theirs;
    }
  }
}
