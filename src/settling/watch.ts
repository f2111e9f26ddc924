import type { Step } from "../concurrency/step.js";
import type { FactKind } from "../segments/facts.js";
import type { PassWithOwner, StoredStampCard } from "../storage/passes.js";
import type { StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredUser } from "../storage/users.js";
import type { ChangeWatch, WatchedChange } from "../tenant/watching.js";
import { ChangeMoves } from "./change-moves.js";
import type { JudgedSegment } from "./judged-segments.js";
import { isSettled, readersOf, type SegmentsNow } from "./segments-now.js";
import { TouchedCustomers } from "./touched-customers.js";
import { type FactWatch, WatchedWrites, watchedTransaction } from "./watched-transaction.js";

/** Finds the segments of an organization; `null` where none emits events. */
export type FindSegments = (tx: StorageTransaction, organizationId: string) => Step<SegmentsNow | null>;

/** Sees what one change does to the customers of an organization whose segments emit events. */
export class Watch implements ChangeWatch, FactWatch {
  readonly tx: StorageTransaction;
  /** `undefined` before the first write that it sees. */
  #segments: SegmentsNow | null | undefined;
  readonly #touched: TouchedCustomers;
  readonly #moves: ChangeMoves;
  /** Who is a member may have changed for everybody. */
  #isTemplateChanged = false;

  constructor(
    private readonly inner: StorageTransaction,
    private readonly change: WatchedChange,
    private readonly find: FindSegments,
  ) {
    const { organizationId, recording } = change;
    this.#touched = new TouchedCustomers({ tx: inner, organizationId, recording });
    this.#moves = new ChangeMoves(inner, change);
    this.tx = watchedTransaction(inner, new WatchedWrites(inner, this));
  }

  get organizationId(): string {
    return this.change.organizationId;
  }

  *readers(kind: FactKind): Step<readonly JudgedSegment[]> {
    const segments = yield* this.#now();
    return segments === null ? [] : readersOf(segments, kind);
  }

  *movedByTags(slugs: ReadonlySet<string>): Step<readonly JudgedSegment[]> {
    const segments = yield* this.#now();
    if (segments === null) return [];
    const readers = readersOf(segments, "tags");
    if (!isSettled(segments)) return readers;
    return readers.filter((judged) => [...slugs].some((slug) => judged.slugs.has(slug)));
  }

  *touch(
    kind: FactKind,
    find: () => Step<readonly StoredUser[]>,
    among: readonly JudgedSegment[] | null = null,
  ): Step<void> {
    const segments = yield* this.#now();
    if (segments === null) return;
    const moved = among ?? readersOf(segments, kind);
    if (moved.length > 0) yield* this.#touched.touch(segments, kind, moved, find);
  }

  *touchCard(before: PassWithOwner, card: StoredStampCard): Step<void> {
    const segments = yield* this.#now();
    if (segments !== null) yield* this.#touched.touchCard(segments, before, card);
  }

  *added(users: readonly StoredUser[]): Step<void> {
    const segments = yield* this.#now();
    if (segments !== null) yield* this.#touched.add(segments, users);
  }

  *removed(userId: string): Step<void> {
    yield* this.#touched.remove(yield* this.#now(), userId);
  }

  *aroundTemplate<T>(templateId: string, write: () => Step<T>): Step<T> {
    const segments = yield* this.#now();
    const result = yield* write();
    if (segments?.state.names(templateId)) this.#isTemplateChanged = true;
    return result;
  }

  *look(): Step<void> {
    const segments = this.#segments;
    if (segments === null || segments === undefined) return;
    if (this.#touched.isAny) yield* this.#moves.tell(segments, yield* this.#touched.takeMoved(segments));
    if (!this.#isTemplateChanged) return;
    yield* this.#moves.retellAll(segments);
    this.#isTemplateChanged = false;
    this.#segments = undefined;
  }

  *#now(): Step<SegmentsNow | null> {
    if (this.#segments === undefined)
      this.#segments = yield* this.find(this.inner, this.change.organizationId);
    return this.#segments;
  }
}
