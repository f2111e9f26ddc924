import type { Step } from "../../concurrency/step.js";
import { validationFailed } from "../../errors.js";
import type { RecordEvent } from "../../events/recording.js";
import { userTagOf } from "../../resources/tag.js";
import { StorageConflict, type StorageTransaction } from "../../storage/storage-adapter.js";
import type { StoredAssignment, TagWithMerging } from "../../storage/tags.js";
import type { StoredUser } from "../../storage/users.js";
import { insertTag } from "../../tags/insert-tag.js";
import { settleMerges } from "../../tags/removals.js";
import type { Tenant } from "../../tenant/tenant.js";
import type { CheckedRow, NamedTag, ValidRow } from "./row.js";

/** Storage takes at most this many assignments at a time. */
const MOST_ASSIGNMENTS = 1_000;

interface QueuedAssignment {
  /** The first row that gives it. */
  readonly row: number;
  readonly user: StoredUser;
  readonly tag: TagWithMerging;
}

/** The tags of the rows of one transaction. Each tag is looked up once, and all are assigned together. */
export class ImportTags {
  private readonly known = new Map<string, TagWithMerging | null>();
  /** The key is of user and tag, so that each pair is there once. */
  private readonly gifts = new Map<string, QueuedAssignment>();

  /** The number of tags of the organization; `null` until it is counted. */
  private present: number | null = null;

  constructor(
    private readonly tenant: Tenant,
    private readonly tx: StorageTransaction,
    private readonly record: RecordEvent,
    private readonly mayCreate: boolean,
  ) {}

  /**
   * @throws {LoyaltyError} `validation_failed` naming those that do not exist, unless they may be created; when there would be
   *   too many tags.
   */
  *check(tags: readonly NamedTag[]): Step<void> {
    const missing: string[] = [];
    for (const { slug, name } of tags) if ((yield* this.find(slug)) === null) missing.push(name);
    if (this.mayCreate && (missing.length === 0 || missing.length <= (yield* this.remainingTags()))) return;
    if (this.mayCreate) throw validationFailed({ tags: "would exceed the organization's limit of tags" });
    if (missing.length > 0) throw validationFailed({ tags: `has unknown tags: ${missing.join(", ")}` });
  }

  /** The first of the rows, up to one that is wrong or names a tag that does not exist. */
  *takeUntilUnknown(rows: readonly CheckedRow[]): Step<ValidRow[]> {
    const found: ValidRow[] = [];
    for (const row of rows) {
      if ("errors" in row) break;
      for (const { slug } of row.tags) if ((yield* this.find(slug)) === null) return found;
      found.push(row);
    }
    return found;
  }

  /** Queues the tags of a row for {@link assign}, and creates missing ones. */
  *queueFor(user: StoredUser, { row, tags }: ValidRow): Step<void> {
    for (const named of tags) {
      const tag = (yield* this.find(named.slug)) ?? (yield* this.create(named));
      const key = `${user.ordinal} ${tag.ordinal}`;
      if (!this.gifts.has(key)) this.gifts.set(key, { row, user, tag });
    }
  }

  /** Assigns the tags that users don't have yet. @returns the rows with a new assignment. */
  *assign(): Step<ReadonlySet<number>> {
    const rows = new Set<number>();
    const gifts = [...this.gifts.values()];
    // One time for all, since a clock may go back: the ids alone keep the order of a row's tags.
    const createdAt = this.tenant.now();
    for (let start = 0; start < gifts.length; start += MOST_ASSIGNMENTS) {
      const some = gifts.slice(start, start + MOST_ASSIGNMENTS);
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

  /** Returns the number of tags that may still be created. */
  private *remainingTags(): Step<number> {
    const { organizationId, engine } = this.tenant;
    this.present ??= yield* this.tx.countOf(organizationId, "tags");
    return engine.limits.tags - this.present;
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
      // Another transaction has made it since the look.
      const theirs = yield* this.tx.findTag(this.tenant.organizationId, named.slug);
      if (theirs === null) throw error;
      return theirs;
    }
  }
}
