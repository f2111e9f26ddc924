import { run, type Step } from "../concurrency/step.js";
import { failure } from "../errors.js";
import type { EventType } from "../event-types.js";
import type { Once, OnceRequest } from "../idempotency/idempotent-call.js";
import { offsetOf, type Page, type PageQuery, pageOf, pageQuerySchema } from "../resources/page.js";
import { parse, parseNew } from "../resources/parse.js";
import { stampCardOf, stampEntryOf } from "../resources/representation.js";
import {
  type ChangeStamps,
  changeStampsSchema,
  type SetStamps,
  type StampCard,
  type StampEntry,
  setStampsSchema,
} from "../resources/stamps.js";
import { stampCountsOf } from "../statistics/counted.js";
import type { StampEntryType, StoredCard, StoredPass } from "../storage/passes.js";
import type { StorageReader } from "../storage/storage-adapter.js";
import type { Tenant } from "../tenant/tenant.js";
import { findPass } from "./passes.js";
import * as ledger from "./stamp-ledger.js";

/** Told by the type of the entry that the ledger gets. */
const events = {
  added: "stamp.added",
  removed: "stamp.removed",
  set: "stamp.set",
  reset: "stamp.reset",
  redeemed: "stamp_card.redeemed",
} as const satisfies Record<StampEntryType, EventType>;

/**
 * The stamps of stamp-card passes. Each write appends one immutable entry to the pass's ledger; writes to one
 * pass run one after the other, so none is lost. All need the scope `loyalty:manage`, all reads `pass:read`.
 */
export class Stamps {
  constructor(private readonly tenant: Tenant) {}

  /** @throws {LoyaltyError} `resource_not_found`; `not_a_stamp_card`; `access_denied` without `pass:read`. */
  async state(passId: string): Promise<StampCard> {
    this.tenant.require("pass:read");
    const { pass, card } = await run(findCard(this.tenant.storage, this.tenant.organizationId, passId));
    return stampCardOf(pass, card);
  }

  /**
   * Adds stamps. Each time the card is full it gives a reward and starts again with the overflow.
   * @param input `count` from 1 to 100, 1 unless given; a `note` of at most 512 characters.
   * @throws {LoyaltyError} `resource_not_found`; `not_a_stamp_card`; `validation_failed`; `access_denied`.
   */
  async add(passId: string, input: ChangeStamps & Once = {}): Promise<StampCard> {
    this.tenant.require("loyalty:manage");
    const { count, note } = parseNew(changeStampsSchema, input);
    return this.write(["stamps.add", passId, input], passId, note, (card, now) =>
      ledger.add(card, count, now),
    );
  }

  /**
   * Removes stamps from the card as it is; completed cards stay completed.
   * @param input `count` from 1 to 100, 1 unless given; a `note` of at most 512 characters.
   * @throws {LoyaltyError} `resource_not_found`; `not_a_stamp_card`; `not_enough_stamps`; `validation_failed`;
   *   `access_denied`.
   */
  async remove(passId: string, input: ChangeStamps & Once = {}): Promise<StampCard> {
    this.tenant.require("loyalty:manage");
    const { count, note } = parseNew(changeStampsSchema, input);
    return this.write(["stamps.remove", passId, input], passId, note, (card) => ledger.remove(card, count));
  }

  /**
   * Sets the current stamps.
   * @param input `stamps` from 0 to the card's `maxStamps` − 1; a `note` of at most 512 characters.
   * @throws {LoyaltyError} `resource_not_found`; `not_a_stamp_card`; `validation_failed`; `access_denied`.
   */
  async set(passId: string, input: SetStamps & Once): Promise<StampCard> {
    this.tenant.require("loyalty:manage");
    const { stamps, note } = parseNew(setStampsSchema, input);
    return this.write(["stamps.set", passId, input], passId, note, (card) => ledger.set(card, stamps));
  }

  /**
   * Takes the current stamps away; rewards stay.
   * @throws {LoyaltyError} `resource_not_found`; `not_a_stamp_card`; `access_denied`.
   */
  async reset(passId: string, options: Once = {}): Promise<StampCard> {
    this.tenant.require("loyalty:manage");
    return this.write(["stamps.reset", passId, options], passId, null, ledger.reset);
  }

  /**
   * Hands out one reward.
   * @throws {LoyaltyError} `resource_not_found`; `not_a_stamp_card`; `no_reward_available`; `access_denied`.
   */
  async redeem(passId: string, options: Once = {}): Promise<StampCard> {
    this.tenant.require("loyalty:manage");
    return this.write(["stamps.redeem", passId, options], passId, null, ledger.redeem);
  }

  /**
   * The ledger, newest entry first.
   * @param query `page` from 0; `size` from 1, 50 unless given, and taken as 200 above that.
   * @throws {LoyaltyError} `resource_not_found`; `not_a_stamp_card`; `validation_failed`; `access_denied`
   *   without `pass:read`.
   */
  async history(passId: string, query: PageQuery = {}): Promise<Page<StampEntry>> {
    this.tenant.require("pass:read");
    const request = parse(pageQuerySchema, query);
    const { storage, organizationId } = this.tenant;
    return storage.snapshot(function* (reader) {
      const { pass, card } = yield* findCard(reader, organizationId, passId);
      const entries = yield* reader.listStampEntries(
        organizationId,
        pass.id,
        offsetOf(request),
        request.size,
      );
      return pageOf(entries.map(stampEntryOf), card.entries, request);
    });
  }

  private async write(
    request: OnceRequest,
    passId: string,
    note: string | null | undefined,
    change: (card: StoredCard, now: number) => ledger.StampChange,
  ): Promise<StampCard> {
    const { tenant } = this;
    const { organizationId } = tenant;
    return tenant.change(request, function* (tx, record) {
      const { pass, card: before } = yield* findCard(tx, organizationId, passId);
      const now = tenant.now();
      const { card, entry } = change(before, now);
      yield* tx.recordStamps(organizationId, card, {
        ...entry,
        id: tenant.newId("ste"),
        passId: pass.id,
        note: note ?? null,
        createdAt: now,
      });
      const stampCard = stampCardOf(pass, card);
      record(events[entry.type], stampCard, stampCountsOf(before, card));
      for (let times = 0; times < entry.completions; times += 1) record("stamp_card.completed", stampCard);
      return stampCard;
    });
  }
}

function* findCard(
  reader: StorageReader,
  organizationId: string,
  passId: string,
): Step<{ pass: StoredPass; card: StoredCard }> {
  const pass = yield* findPass(reader, organizationId, passId);
  if (pass.card === null) throw failure("not_a_stamp_card");
  return { pass, card: pass.card };
}
