import type { CallGoogle } from "../../../adapters/delivery/wallets/google/api-client.js";
import { GoogleStore } from "../../../adapters/testing/wallets/google-store.js";

const ISSUER = "3388";

/**
 * Outcome of a call: it is accepted or refused, its response is lost, or it is executed after the caller has given up.
 */
export type GoogleLuck = "taken" | "refused" | "throttled" | "dropped" | "lost" | "late";

/** Time in milliseconds within which an unanswered call is executed, which is before it is repeated. */
const LATE_MS = 4_000;
const LATE_ADDITION_MS = 14_000;

/** Google's rules, and users who have cards. */
class Store extends GoogleStore {
  /** Gives a card a user. */
  addObject(objectId: string): void {
    this.addUser(objectId);
  }
}

/** Simulates Google for deliveries: it stores cards, by its own rules, and fails on command. */
export class SimulatedGoogle {
  readonly issuer = { issuerId: ISSUER, issuerName: "Shop" };
  /** Number of card writes. */
  writes = 0;
  /** Passes that were overwritten with an older state. */
  readonly backwards = new Set<string>();
  private readonly store: Store;
  private readonly late: { readonly at: number; readonly call: () => Promise<unknown> }[] = [];

  constructor(
    private readonly now: () => number,
    private readonly drawLuck: () => GoogleLuck,
  ) {
    const picture = async () => new Response(null, { headers: { "content-type": "image/png" } });
    this.store = new Store(ISSUER, now, picture);
  }

  /** Stamps that Google shows, by pass. */
  get shown(): ReadonlyMap<string, number> {
    const stamps = [...this.store.objects].map(
      ([id, { content }]) => [id.slice(ISSUER.length + 1), readStamps(content)] as const,
    );
    return new Map(stamps);
  }

  /** Problems with what was written. */
  get complaints(): readonly string[] {
    return this.store.complaints;
  }

  /** Notifications that people got, each with its pass. */
  get notices(): readonly {
    readonly passId: string;
    readonly messageId: string | null;
    readonly at: number;
  }[] {
    return this.store.notices.map(({ objectId, ...notice }) => ({ ...notice, passId: getPassId(objectId) }));
  }

  /** Passes that had a message twice at some time. */
  get doubles(): readonly string[] {
    return this.store.doubles.map(getPassId);
  }

  /** Gives a card a user. */
  addPass(passId: string): void {
    this.store.addObject(`${ISSUER}.${passId}`);
  }

  /** Lists the ids of the messages that people see on a card now. */
  listMessages(passId: string): readonly string[] {
    return this.store.messagesOn(`${ISSUER}.${passId}`).map(({ id }) => id);
  }

  /** Executes the late calls whose time has come. */
  async deliverLateCalls(): Promise<void> {
    for (;;) {
      const dueIndex = this.late.findIndex(({ at }) => at <= this.now());
      if (dueIndex === -1) return;
      // Others may run this at the same time, and each call is executed once.
      const [late] = this.late.splice(dueIndex, 1);
      await late?.call();
    }
  }

  readonly call: CallGoogle = async (method, path, body) => {
    await this.deliverLateCalls();
    const luck = this.drawLuck();
    if (luck === "refused") return { status: 503, reason: "backendError", waitMs: 0, body: {} };
    if (luck === "throttled") return { status: 429, reason: "rateLimitExceeded", waitMs: 0, body: {} };
    if (luck === "dropped") return { status: 0, reason: "dropped", waitMs: 0, body: {} };
    if (luck === "late") {
      const ms = path.endsWith("/addMessage") ? LATE_ADDITION_MS : LATE_MS;
      this.late.push({
        at: this.now() + ms,
        call: () => this.store.answer(method, path, JSON.stringify(body)),
      });
      return { status: 0, reason: "late", waitMs: 0, body: {} };
    }
    const [, passId] = /^\/loyaltyObject\/\d+\.([^/]*)/.exec(path) ?? [];
    const before = this.countStamps(passId);
    const answer = await this.store.answer(method, path, JSON.stringify(body));
    if (passId !== undefined) this.writes += 1;
    if (passId !== undefined && this.countStamps(passId) < before) this.backwards.add(passId);
    if (luck === "lost" || answer === "drop") return { status: 0, reason: "lost", waitMs: 0, body: {} };
    const { error }: { error?: { message: string } } = answer.body;
    return { status: answer.status, reason: error?.message ?? "", waitMs: 0, body: { ...answer.body } };
  };

  private countStamps(passId: string | undefined): number {
    return readStamps(this.store.objects.get(`${ISSUER}.${passId}`)?.content);
  }
}

/** Also accepts a text that continues after the object's id. */
function getPassId(objectId: string): string {
  return objectId.slice(ISSUER.length + 1);
}

function readStamps(content: Readonly<Record<string, unknown>> | undefined): number {
  const { balance }: { balance?: { string?: string } } = Object(content?.loyaltyPoints);
  return Number(balance?.string?.split("/")[0] ?? -1);
}
