import {
  type Actor,
  type ErrorCode,
  type EventData,
  type EventType,
  LoyaltyError,
  type StampCard,
  type StampEntry,
  type Template,
  type User,
  type UserTag,
  type WalletPass,
} from "loyalty-kit";
import type { RecordedEvent } from "../statistics/recount.js";

export interface ModelAssignment {
  readonly id: string;
  readonly userId: string;
  readonly slug: string;
  readonly createdAt: string;
}

/** A stamp card, and its ledger with the oldest entry first. */
export interface ModelCard {
  state: StampCard;
  readonly entries: StampEntry[];
}

/** Everything the model knows, in plain collections of what the API shows. */
export class World {
  readonly users = new Map<string, User>();
  /** Tags by slug. */
  readonly tags = new Map<string, UserTag>();
  readonly assignments: ModelAssignment[] = [];
  readonly templates = new Map<string, Template>();
  readonly passes = new Map<string, WalletPass>();
  /** Stamp cards by pass id. */
  readonly cards = new Map<string, ModelCard>();
  readonly told: [type: EventType, data: unknown][] = [];
  /** All events that were ever emitted. */
  readonly history: RecordedEvent[] = [];
  /** The actor of all changes. */
  readonly actor: Actor = { kind: "library", id: null, subject: null, location: null, receipt: null };
  private made = 0;
  private newestUserAt = 0;

  constructor(private readonly clock: () => number) {}

  /** Creates ids that sort in order of creation, in the form of the real ones. */
  createId(prefix: string): string {
    this.made += 1;
    return `${prefix}_00000000-0000-7000-8000-${this.made.toString(16).padStart(12, "0")}`;
  }

  get now(): string {
    return new Date(this.clock()).toISOString();
  }

  /** Returns the timestamps of something new. */
  createTimestamps(): { createdAt: string; updatedAt: string } {
    return { createdAt: this.now, updatedAt: this.now };
  }

  /** Returns the timestamps of a new user: never before an earlier user's, so that users stay in order. */
  createUserTimestamps(): { createdAt: string; updatedAt: string } {
    this.newestUserAt = Math.max(this.newestUserAt, this.clock());
    const createdAt = new Date(this.newestUserAt).toISOString();
    return { createdAt, updatedAt: createdAt };
  }

  /** Returns the `updatedAt` of a change: strictly later than the previous one. */
  touch(before: { readonly updatedAt: string }): { updatedAt: string } {
    const ms = Math.max(this.clock(), Date.parse(before.updatedAt) + 1);
    return { updatedAt: new Date(ms).toISOString() };
  }

  recordEvent<K extends EventType>(type: K, data: EventData[K]): void {
    this.told.push([type, data]);
    this.history.push({ type, timestamp: this.now, data });
  }

  getUser(userId: string): User {
    const user =
      this.users.get(userId) ?? [...this.users.values()].find(({ externalId }) => externalId === userId);
    return user ?? throwRefusal("resource_not_found");
  }

  getTag(slug: string): UserTag {
    return this.tags.get(slug) ?? throwRefusal("resource_not_found");
  }

  getTemplate(id: string): Template {
    return this.templates.get(id) ?? throwRefusal("resource_not_found");
  }

  getPass(id: string): WalletPass {
    return this.passes.get(id) ?? throwRefusal("resource_not_found");
  }

  getCard(passId: string): ModelCard {
    return this.cards.get(this.getPass(passId).id) ?? throwRefusal("not_a_stamp_card");
  }

  listPasses(userId: string): WalletPass[] {
    return sortOldestFirst([...this.passes.values()].filter((pass) => pass.userId === userId));
  }

  removePass(pass: WalletPass): void {
    this.passes.delete(pass.id);
    this.cards.delete(pass.id);
    const { id, userId, templateId } = pass;
    this.recordEvent("pass.revoked", { id, object: "wallet_pass", userId, templateId });
  }

  /** Removes assignments, and returns them. */
  unassign(isMeant: (assignment: ModelAssignment) => boolean): ModelAssignment[] {
    const removedAssignments = this.assignments.filter(isMeant);
    for (const assignment of removedAssignments)
      this.assignments.splice(this.assignments.indexOf(assignment), 1);
    return removedAssignments;
  }
}

type PlainCode = Exclude<ErrorCode, "access_denied" | "validation_failed" | "user_already_exists">;

export function throwRefusal(code: PlainCode, params: readonly string[] | null = null): never {
  throw new LoyaltyError({ code, params });
}

/** Refuses the call if a field is wrong. */
export function check(wrong: Readonly<Record<string, boolean>>): void {
  const fields = Object.keys(wrong).filter((field) => wrong[field]);
  if (fields.length === 0) return;
  throw new LoyaltyError({
    code: "validation_failed",
    fields: Object.fromEntries(fields.map((name) => [name, ""])),
  });
}

/** Sorts by createdAt, then by id. */
export function sortOldestFirst<T extends { readonly createdAt: string; readonly id: string }>(
  items: readonly T[],
): T[] {
  const sortKey = ({ createdAt, id }: T) => `${createdAt} ${id}`;
  return items.toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
}
