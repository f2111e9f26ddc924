import type { Step } from "../base/concurrency/step.js";
import { isLoyaltyError, validationFailed } from "../base/errors.js";
import { parseNew } from "../base/parse.js";
import { DAY_MS, dayOfDate } from "../base/values/clock.js";
import type { RowExtension } from "../customers/import/batch.js";
import type { ExistingUsers } from "../customers/import/existing-users.js";
import type { ValidRow } from "../customers/import/row.js";
import { importedPassesSchema } from "../customers/import-schema.js";
import type { RecordEvent } from "../kernel/events/recording.js";
import type { Tenant } from "../kernel/tenant.js";
import { mailPasses, type PassToMail } from "../messages/pass-mail.js";
import { computeEndOfDay, computeExpiry } from "../points/dates.js";
import { createPointCard, PointLedger } from "../points/ledger.js";
import { recordPointEvents } from "../points/points.js";
import { zoneOf } from "../settings/schema.js";
import { splitIntoBatches } from "../storage/batches.js";
import type {
  PassHolder,
  PassToInsert,
  StoredPass,
  StoredStampCard,
  StoredStampEntry,
} from "../storage/passes.js";
import type { PointChange } from "../storage/points.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { StoredTemplate } from "../storage/templates.js";
import type { StoredUser } from "../storage/users.js";
import { buildPass, buildStampCard, recordPassCreated } from "./issue-pass.js";
import { parseProgram } from "./program-schema.js";
import * as ledger from "./stamp-ledger.js";
import { stampCardOf } from "./stamps-schema.js";

type ImportedPass = ReturnType<typeof importedPassesSchema.parse>["passes"][number];

/** A ledger change with the time at which it originally happened. */
interface DatedChange {
  readonly change: ledger.StampChange;
  readonly at: number;
  readonly note: string | null;
}

/** A validated pass that is ready to be issued. */
interface ReadyPass {
  readonly template: StoredTemplate;
  readonly code: string | undefined;
  readonly createdAt: number;
  readonly changes: readonly DatedChange[];
  /** The points that the pass begins with, or `null` if it has none. */
  readonly points: OpeningPoints | null;
}

interface OpeningPoints {
  readonly points: number;
  /** When the points expire, in milliseconds since the Unix epoch, or `null` if they never do. */
  readonly expiresAt: number | null;
}

/** Number of passes and ledger entries to buffer before writing them to storage. */
const MAX_WAITING = 1_000;

/** Imports the passes from a batch of import rows, in the batch's transaction. */
export class PassImport implements RowExtension {
  readonly checksEveryRow = true;
  private readonly templates = new Map<string, StoredTemplate | null>();
  private existingPasses = new ExistingPasses();
  private timeZone = "UTC";
  /** The validated passes of the most recently checked row. */
  private readyPasses: readonly ReadyPass[] = [];
  private passesToInsert: PassToInsert[] = [];
  private passesToMail: PassToMail[] = [];
  private queuedWeight = 0;

  constructor(
    private readonly tenant: Tenant,
    private readonly tx: StorageTransaction,
    private readonly record: RecordEvent,
    private readonly notify: boolean,
  ) {}

  *prepare(rows: readonly ValidRow[], existingUsers: ExistingUsers): Step<void> {
    this.timeZone = zoneOf(yield* this.tx.findSettings());
    const codes: string[] = [];
    for (const { input } of rows) {
      const { data } = importedPassesSchema.safeParse(input);
      for (const { code } of data?.passes ?? []) if (code !== undefined) codes.push(code);
    }
    this.existingPasses = yield* ExistingPasses.of(this.tx, codes, existingUsers.users);
  }

  /**
   * Validates a row's passes.
   * @throws {LoyaltyError} `validation_failed`, keyed by field path, such as `passes.0.code`.
   */
  *check(row: ValidRow, existingUser: StoredUser | null): Step<{ readonly createdAt: number | null }> {
    const { createdAt, passes } = parseNew(importedPassesSchema, row.input);
    const createdAtMs = createdAt === undefined ? null : this.requirePast(createdAt, "createdAt");
    const readyPasses: ReadyPass[] = [];
    const codes = new Set<string>();
    for (const [at, pass] of passes.entries()) {
      const path = `passes.${at}`;
      const template = yield* this.template(pass.templateId);
      if (template === null)
        throw validationFailed({ [`${path}.templateId`]: "must be the id of a template" });
      const { code } = pass;
      if (code !== undefined) {
        const owner = this.existingPasses.withCode(code);
        const isOwn =
          owner === null || (owner.userId === existingUser?.id && owner.templateId === template.id);
        if (codes.has(code) || !isOwn)
          throw validationFailed({ [`${path}.code`]: "is already used by another pass" });
        codes.add(code);
      }
      const changes = this.listDatedChanges(pass, template, path);
      const issuedAt =
        pass.createdAt === undefined
          ? (changes[0]?.at ?? this.tenant.now())
          : this.requirePast(pass.createdAt, `${path}.createdAt`);
      const points = this.readOpeningPoints(pass, template, path);
      readyPasses.push({ template, code, createdAt: issuedAt, changes, points });
    }
    this.readyPasses = readyPasses;
    return { createdAt: createdAtMs };
  }

  /**
   * Queues the row's passes, except for passes that the user already has from an earlier import.
   * @returns whether any pass was queued.
   */
  queueFor(user: StoredUser): boolean {
    const { tenant, record, existingPasses: held } = this;
    let isChanged = false;
    for (const { template, code, createdAt, changes, points } of this.readyPasses) {
      const has = code === undefined ? held.has(user.id, template.id) : held.withCode(code) !== null;
      if (has) continue;
      isChanged = true;
      const fields = { createdAt, ...(code !== undefined && { code }) };
      const pass = buildPass(tenant, template, user, fields);
      recordPassCreated(tenant, record, pass);
      const entries = changes.map(({ change, at, note }): StoredStampEntry => {
        const id = tenant.newId("ste");
        return {
          id,
          ...change.kind,
          ...change.entry,
          passId: pass.id,
          source: null,
          receipt: null,
          isImported: true,
          note,
          createdAt: at,
          ...tenant.actor.stored,
        };
      });
      const card = changes.at(-1)?.change.card ?? pass.card;
      // The stamps were collected in the other program, so they don't count in any day's statistics here.
      if (changes.length > 0 && card !== null) record("stamp.added", stampCardOf(pass, card), {});
      held.add(pass);
      this.passesToInsert.push({
        pass: { ...pass, card },
        entries,
        ...(points !== null && { points: this.givePoints(pass, points) }),
      });
      if (this.notify) this.passesToMail.push({ pass, user });
      this.queuedWeight += 1 + entries.length + (points === null ? 0 : 1);
    }
    return isChanged;
  }

  get isFull(): boolean {
    return this.queuedWeight >= MAX_WAITING;
  }

  *write(): Step<void> {
    const passes = this.passesToInsert;
    this.passesToInsert = [];
    this.queuedWeight = 0;
    for (const batch of splitIntoBatches(passes)) yield* this.tx.insertPasses(batch);
    const passesToMail = this.passesToMail;
    this.passesToMail = [];
    yield* mailPasses(this.tenant, this.tx, passesToMail);
  }

  private *template(id: string): Step<StoredTemplate | null> {
    const cached = this.templates.get(id);
    if (cached !== undefined) return cached;
    const template = yield* this.tx.findTemplate(id);
    this.templates.set(id, template);
    return template;
  }

  /** Returns the opening ledger entries for the new pass. */
  private listDatedChanges(
    pass: ImportedPass,
    template: StoredTemplate,
    path: string,
  ): readonly DatedChange[] {
    const { stamps = 0, rewards = 0, completions = rewards, lastStampAt, history } = pass;
    const card = buildStampCard(template);
    if (card === null) {
      if (stamps + completions > 0 || history !== undefined || lastStampAt !== undefined)
        throw validationFailed({ [`${path}.templateId`]: "must be a stamp card" });
      return [];
    }
    if (history !== undefined) return this.replayHistory(card, history, path);
    if (stamps >= card.maxStamps)
      throw validationFailed({ [`${path}.stamps`]: `must be at most ${card.maxStamps - 1}` });
    const total = stamps + card.maxStamps * completions;
    if (total === 0) return [];
    const at =
      lastStampAt === undefined ? this.tenant.now() : this.requirePast(lastStampAt, `${path}.lastStampAt`);
    let change = ledger.add(card, total, at);
    const changes: DatedChange[] = [{ change, at, note: OPENING_NOTE }];
    for (let redeemedCount = rewards; redeemedCount < completions; redeemedCount += 1) {
      change = ledger.redeem(change.card);
      changes.push({ change, at, note: OPENING_NOTE });
    }
    return changes;
  }

  /** @throws {LoyaltyError} `validation_failed` if the template's cards have no points. */
  private readOpeningPoints(
    { points = 0, pointsExpireAt }: ImportedPass,
    template: StoredTemplate,
    path: string,
  ): OpeningPoints | null {
    const { timeZone } = this;
    const terms = parseProgram(template).points;
    if (terms === null) {
      const field = points > 0 ? "points" : "pointsExpireAt";
      if (points > 0 || pointsExpireAt != null)
        throw validationFailed({ [`${path}.${field}`]: "is only allowed if the template has points" });
      return null;
    }
    if (points === 0) return null;
    if (pointsExpireAt === undefined)
      return { points, expiresAt: computeExpiry(terms, timeZone, this.tenant.now()) };
    if (pointsExpireAt === null) return { points, expiresAt: null };
    return {
      points,
      expiresAt: isDay(pointsExpireAt)
        ? computeEndOfDay(timeZone, dayOfDate(pointsExpireAt))
        : Date.parse(pointsExpireAt),
    };
  }

  /** Opens the new pass's ledger with its points, and records the events. */
  private givePoints(pass: StoredPass, { points, expiresAt }: OpeningPoints): PointChange {
    const { tenant, record } = this;
    const now = tenant.now();
    const opening = new PointLedger(createPointCard(pass.id), [], now, tenant.actor.stored);
    opening.give("added", points, { usableFrom: now, expiresAt }, { note: OPENING_NOTE, isImported: true });
    recordPointEvents(record, pass, opening);
    return opening.change;
  }

  private replayHistory(
    card: StoredStampCard,
    history: NonNullable<ImportedPass["history"]>,
    path: string,
  ): readonly DatedChange[] {
    const changes: DatedChange[] = [];
    let now = card;
    for (const { entry, at, nth } of oldestFirst(history, `${path}.history`)) {
      const { type, count, note = null } = entry;
      this.requirePast(entry.at, `${path}.history.${nth}.at`);
      const change = this.tryChange(`${path}.history.${nth}`, () => {
        if (type === "added") return ledger.add(now, count, at);
        if (type === "removed") return ledger.remove(now, count);
        return type === "redeemed" ? ledger.redeem(now) : ledger.reset(now);
      });
      now = change.card;
      changes.push({ change, at, note });
    }
    return changes;
  }

  private tryChange(path: string, change: () => ledger.StampChange): ledger.StampChange {
    try {
      return change();
    } catch (error) {
      if (!isLoyaltyError(error)) throw error;
      throw validationFailed({ [path]: `can't have been: ${error.message}` });
    }
  }

  /** @throws {LoyaltyError} `validation_failed` if the time is in the future. */
  private requirePast(text: string, path: string): number {
    const at = Date.parse(text);
    if (at > this.tenant.now()) throw validationFailed({ [path]: "must not be in the future" });
    return at;
  }
}

/** The note on the ledger entries that make up an opening balance. */
const OPENING_NOTE = "Opening balance";

/** `at` is either a date alone or a time with a time zone. */
interface TimedEntry {
  readonly at: string;
}

/** A history entry with its time, in milliseconds since the Unix epoch, and its index in the input. */
export interface DatedEntry<Entry extends TimedEntry> {
  readonly entry: Entry;
  readonly at: number;
  readonly nth: number;
}

/**
 * Sorts a history oldest first. If it is already sorted, entries with equal times keep their order. Otherwise, the times must
 * determine the order. A date without a time is ambiguous if another entry has the same date.
 * @throws {LoyaltyError} `validation_failed` for the first entry that is older than the previous one, if the times don't determine
 *   the order.
 */
export function oldestFirst<Entry extends TimedEntry>(
  history: readonly Entry[],
  path: string,
): readonly DatedEntry<Entry>[] {
  const dated = history.map((entry, index) => ({ entry, at: Date.parse(entry.at), nth: index }));
  const misplaced = dated.find(({ at }, index) => at < (dated[index - 1]?.at ?? at));
  if (misplaced === undefined) return dated;
  const sorted = dated.toSorted((a, b) => a.at - b.at);
  let end = Number.NEGATIVE_INFINITY;
  for (const { entry, at } of sorted) {
    if (at <= end) throw validationFailed({ [`${path}.${misplaced.nth}`]: AMBIGUOUS_ORDER });
    end = isDay(entry.at) ? at + DAY_MS - 1 : at;
  }
  return sorted;
}

const AMBIGUOUS_ORDER =
  "is older than the previous entry, and other entries share one time: sort the history oldest first, or give each entry its own time";

function isDay(text: string): boolean {
  return !text.includes("T");
}

/** The existing passes that match a batch of import rows, loaded in bulk. */
export class ExistingPasses {
  private readonly byCode = new Map<string, StoredPass>();
  /** Maps each user's ID to the IDs of the templates for which the user has a pass, excluding previews. */
  private readonly templatesByUser = new Map<string, Set<string>>();

  static *of(
    reader: StorageReader,
    codes: readonly string[],
    users: readonly PassHolder[],
  ): Step<ExistingPasses> {
    const passes = new ExistingPasses();
    for (const batch of splitIntoBatches(codes))
      for (const pass of yield* reader.passesByCode(batch)) passes.add(pass);
    for (const batch of splitIntoBatches(users))
      for (const pass of yield* reader.passesOfUsers(batch)) passes.add(pass);
    return passes;
  }

  withCode(code: string): StoredPass | null {
    return this.byCode.get(code) ?? null;
  }

  has(userId: string, templateId: string): boolean {
    return this.templatesByUser.get(userId)?.has(templateId) ?? false;
  }

  add(pass: StoredPass): void {
    this.byCode.set(pass.code, pass);
    if (pass.isPreviewPass) return;
    const templates = this.templatesByUser.get(pass.userId) ?? new Set();
    this.templatesByUser.set(pass.userId, templates.add(pass.templateId));
  }
}
