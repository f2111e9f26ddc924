import type { CallGoogle } from "../../../adapters/wallets/google/api-client.js";
import { GoogleStore } from "../../../adapters/wallets/testing/google-store.js";

const ISSUER = "3388";

/** What becomes of a call: it is taken, refused, or its answer is lost. */
export type GoogleLuck = "taken" | "refused" | "throttled" | "dropped" | "lost";

/** Google as far as deliveries go: it has cards, by its own rules, and fails as it is told. */
export class SimulatedGoogle {
  readonly issuer = { issuerId: ISSUER, issuerName: "Shop" };
  /** How often a card was written. */
  writes = 0;
  /** The passes that were written in an older state than they had. */
  readonly backwards = new Set<string>();
  private readonly store: GoogleStore;

  constructor(
    now: () => number,
    private readonly luck: () => GoogleLuck,
  ) {
    const picture = async () => new Response(null, { headers: { "content-type": "image/png" } });
    this.store = new GoogleStore(ISSUER, now, picture);
  }

  /** The stamps that Google shows, by pass. */
  get shown(): ReadonlyMap<string, number> {
    const stamps = [...this.store.objects].map(
      ([id, { content }]) => [id.slice(ISSUER.length + 1), stampsOf(content)] as const,
    );
    return new Map(stamps);
  }

  /** What was wrong with what was written. */
  get complaints(): readonly string[] {
    return this.store.complaints;
  }

  readonly call: CallGoogle = async (method, path, body) => {
    const luck = this.luck();
    if (luck === "refused") return { status: 503, reason: "backendError", waitMs: 0, body: {} };
    if (luck === "throttled") return { status: 429, reason: "rateLimitExceeded", waitMs: 0, body: {} };
    if (luck === "dropped") return { status: 0, reason: "dropped", waitMs: 0, body: {} };
    const [, passId] = /^\/loyaltyObject\/\d+\.(.*)$/.exec(path) ?? [];
    const before = this.stampsAt(passId);
    const answer = await this.store.answer(method, path, JSON.stringify(body));
    if (passId !== undefined) this.writes += 1;
    if (passId !== undefined && this.stampsAt(passId) < before) this.backwards.add(passId);
    if (luck === "lost" || answer === "drop") return { status: 0, reason: "lost", waitMs: 0, body: {} };
    return { status: answer.status, reason: "", waitMs: 0, body: { ...answer.body } };
  };

  private stampsAt(passId: string | undefined): number {
    return stampsOf(this.store.objects.get(`${ISSUER}.${passId}`)?.content);
  }
}

function stampsOf(content: Readonly<Record<string, unknown>> | undefined): number {
  const { balance }: { balance?: { string?: string } } = Object(content?.loyaltyPoints);
  return Number(balance?.string?.split("/")[0] ?? -1);
}
