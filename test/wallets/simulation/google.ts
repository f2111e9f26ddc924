import type { CallGoogle } from "../../../adapters/delivery/wallets/google/api-client.js";
import { GoogleStore } from "../../../adapters/testing/wallets/google-store.js";

const ISSUER = "3388";

/** What becomes of a call: it is taken, refused, its answer is lost, or it is done when who asked has given up. */
export type GoogleLuck = "taken" | "refused" | "throttled" | "dropped" | "lost" | "late";

/** A call that nobody has answered is done within this time, in milliseconds: before it is made once more. */
const LATE_MS = 4_000;
const LATE_ADDITION_MS = 14_000;

/** The rules of Google, and people who have cards. */
class Store extends GoogleStore {
  /** Somebody has a card from now on. */
  addObject(objectId: string): void {
    this.addUser(objectId);
  }
}

/** Google as far as deliveries go: it has cards, by its own rules, and fails as it is told. */
export class SimulatedGoogle {
  readonly issuer = { issuerId: ISSUER, issuerName: "Shop" };
  /** How often a card was written. */
  writes = 0;
  /** The passes that were written in an older state than they had. */
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

  /** The stamps that Google shows, by pass. */
  get shown(): ReadonlyMap<string, number> {
    const stamps = [...this.store.objects].map(
      ([id, { content }]) => [id.slice(ISSUER.length + 1), readStamps(content)] as const,
    );
    return new Map(stamps);
  }

  /** What was wrong with what was written. */
  get complaints(): readonly string[] {
    return this.store.complaints;
  }

  /** The notifications that people got, each with its pass. */
  get notices(): readonly {
    readonly passId: string;
    readonly messageId: string | null;
    readonly at: number;
  }[] {
    return this.store.notices.map(({ objectId, ...notice }) => ({ ...notice, passId: getPassId(objectId) }));
  }

  /** The passes that had a message twice at some time. */
  get doubles(): readonly string[] {
    return this.store.doubles.map(getPassId);
  }

  /** Somebody has a card from now on. */
  addPass(passId: string): void {
    this.store.addObject(`${ISSUER}.${passId}`);
  }

  /** The ids of the messages that people see on a card now. */
  listMessages(passId: string): readonly string[] {
    return this.store.messagesOn(`${ISSUER}.${passId}`).map(({ id }) => id);
  }

  /** Does the calls that are late, as far as their time has come. */
  async deliverLateCalls(): Promise<void> {
    for (;;) {
      const dueIndex = this.late.findIndex(({ at }) => at <= this.now());
      if (dueIndex === -1) return;
      // Others come here meanwhile: each call is done once.
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

/** Also of a text that goes on behind the object's id. */
function getPassId(objectId: string): string {
  return objectId.slice(ISSUER.length + 1);
}

function readStamps(content: Readonly<Record<string, unknown>> | undefined): number {
  const { balance }: { balance?: { string?: string } } = Object(content?.loyaltyPoints);
  return Number(balance?.string?.split("/")[0] ?? -1);
}
