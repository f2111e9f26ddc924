import type { Actor } from "../../../../../src/access/actor-schema.js";
import type { OrganizationCalls } from "../../../../../src/operation-groups.js";
import type { EventPage } from "../../../../../src/webhooks/events.js";
import { CallError } from "../api/call-error.js";
import { hasScopes } from "../api/session.js";
import { loadStaffNames } from "../components/actor-names.js";
import { listPointNames, type PointNames } from "../components/purchase-words.js";
import { loadCustomerNames } from "./customer-link.js";

/** Maximum number of cached names. Above it, the cache is cleared. */
const MAX_CACHED = 1_000;

/** Loads and caches the names of everything that events refer to, such as customers, cards, and actors. */
export class EventNames {
  /** Customer names, keyed by ID. A deleted customer's name is `null`. */
  readonly users = new Map<string, string | null>();
  /** Names of templates, staff members, tokens, and apps, keyed by ID. */
  readonly resources = new Map<string, string>();
  /** The shop's own words for points. */
  points: PointNames = new Map();
  /** Card owners' IDs, keyed by pass ID. The value is `null` for a deleted card. */
  readonly #owners = new Map<string, string | null>();
  #hasThings = false;

  /**
   * Loads the names needed to display the given events, unless they are cached. Sends at most two requests per event, plus four for
   * the names of templates, staff members, tokens, and apps.
   */
  async load(calls: OrganizationCalls, events: readonly ListedEvent[]): Promise<void> {
    if (this.users.size + this.#owners.size > MAX_CACHED) {
      this.users.clear();
      this.#owners.clear();
      this.#hasThings = false;
    }
    const subjects = events.map(parseEventSubject);
    const ids = subjects.map(({ templateId }) => templateId);
    const actorIds = events.map(({ actor }) => (isNamed(actor) ? actor.id : null));
    const areAllCached = [...ids, ...actorIds].every((id) => id === null || this.resources.has(id));
    await Promise.all([
      areAllCached && this.#hasThings ? null : this.#readThings(calls),
      this.#readOwners(calls, subjects),
    ]);
    const userIds = subjects.flatMap((subject) => this.findCustomerId(subject) ?? []);
    await loadCustomerNames(calls, userIds, this.users);
  }

  /**
   * Returns the ID of the customer that an event is about, or `null` if the ID isn't known. For an event about a card, this is the
   * card's owner.
   */
  findCustomerId({ userId, passId }: EventSubject): string | null {
    return userId ?? (passId === null ? null : (this.#owners.get(passId) ?? null));
  }

  async #readThings(calls: OrganizationCalls): Promise<void> {
    const [people, templates, tokens, apps] = await Promise.all([
      loadStaffNames(),
      hasScopes("template:read") ? calls.templates.list() : [],
      hasScopes("api_token:manage") ? calls.apiTokens.list() : [],
      hasScopes("api_token:manage") ? calls.apps.list() : [],
    ]);
    for (const [id, name] of people) this.resources.set(id, name);
    for (const { id, name } of [...templates, ...tokens, ...apps]) this.resources.set(id, name);
    this.points = listPointNames(templates);
    this.#hasThings = true;
  }

  async #readOwners(calls: OrganizationCalls, subjects: readonly EventSubject[]): Promise<void> {
    for (const { userId, passId } of subjects)
      if (userId !== null && passId !== null) this.#owners.set(passId, userId);
    if (!hasScopes("pass:read")) return;
    const passIds = new Set(subjects.flatMap(({ passId }) => passId ?? []));
    await Promise.all(
      [...passIds]
        .filter((passId) => !this.#owners.has(passId))
        .map(async (passId) => {
          try {
            this.#owners.set(passId, (await calls.passes.get(passId)).userId);
          } catch (error) {
            if (!(error instanceof CallError) || error.status !== 404) throw error;
            this.#owners.set(passId, null);
          }
        }),
    );
  }
}

const isNamed = ({ kind, id }: Actor) =>
  kind === "token" || kind === "app" || (kind === "console" && id?.startsWith("per_") === true);

export type ListedEvent = EventPage["content"][number];

/** The IDs of the customer, pass, and template that an event is about. An ID is `null` if the event doesn't contain it. */
export interface EventSubject {
  readonly userId: string | null;
  readonly passId: string | null;
  readonly templateId: string | null;
}

export function parseEventSubject({ data }: Pick<ListedEvent, "data">): EventSubject {
  const fields = new Map<string, unknown>(Object.entries("pointCard" in data ? data.pointCard : data));
  const readText = (name: string) => {
    const value = fields.get(name);
    return typeof value === "string" ? value : null;
  };
  const readObjectId = (object: string) => (fields.get("object") === object ? readText("id") : null);
  return {
    userId: readText("userId") ?? readObjectId("user"),
    passId: readText("walletPassId") ?? readObjectId("wallet_pass"),
    templateId: readText("templateId") ?? readObjectId("template"),
  };
}
