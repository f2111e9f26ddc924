import { failure } from "../errors.js";
import { opened, sealed } from "../secrets/seal.js";
import type { StorageReader, StorageTransaction } from "../storage/storage-adapter.js";
import type { Tenant } from "../tenant/tenant.js";
import type { Answer } from "./answer.js";
import type { IdempotentCall } from "./idempotent-call.js";

/** For how long an answer is kept, in milliseconds: 24 hours. */
const KEPT_MS = 86_400_000;

/**
 * How long the text of an answer may be that comes without a change. To give a longer one again it is made again: who
 * may only read must not be able to fill the storage.
 */
const MAX_LENGTH_WITHOUT_CHANGE = 65_536;

/** How many answers that need not be kept any more go with each new one, so that they never pile up. */
const REMOVED_WITH_EACH = 2;

/** The answer to one call with an idempotency key: found, or kept in the transaction of the call's effect. */
export class Answering {
  private isCommitted = false;

  constructor(
    private readonly tenant: Tenant,
    private readonly call: IdempotentCall,
  ) {}

  /**
   * The answer that the key had before; `null` when this is its first call.
   * @throws {LoyaltyError} `idempotency_key_reused` when it came with another request.
   */
  async find<T>(reader: StorageReader): Promise<Answer<T> | null> {
    const { organizationId } = this.tenant;
    const { key, keyHash, fingerprint } = this.call;
    const kept = await reader.findAnswer(organizationId, keyHash);
    if (kept === null || kept.createdAt <= this.tenant.now() - KEPT_MS) return null;
    if (kept.fingerprint !== fingerprint) throw failure("idempotency_key_reused");
    return JSON.parse(opened(organizationId, key, kept.sealed));
  }

  /**
   * To be called when a transaction begins, which may be the second try of one.
   * @throws {AnsweredMeanwhile} when another process has kept an answer since the look before.
   * @throws {TypeError} when another change has been committed: its answer is that of the call.
   */
  async begin(tx: StorageTransaction): Promise<void> {
    if (this.isCommitted) throw new TypeError("a call with an idempotency key makes one change");
    if ((await this.find(tx)) !== null) throw new AnsweredMeanwhile();
  }

  /** Keeps an answer, together with what else the transaction does. */
  keep(tx: StorageTransaction, answer: Answer<unknown>): Promise<void> {
    return this.put(tx, JSON.stringify(answer));
  }

  /** To be called when the transaction is committed. */
  committed(): void {
    this.isCommitted = true;
  }

  /** Keeps an answer that came without a change, but for a long one. @throws {AnsweredMeanwhile} as {@link begin}. */
  async keepAlone(answer: Answer<unknown>): Promise<void> {
    if (this.isCommitted) return;
    const text = JSON.stringify(answer);
    if (text.length > MAX_LENGTH_WITHOUT_CHANGE) return;
    await this.tenant.storage.transaction(async (tx) => {
      await this.begin(tx);
      await this.put(tx, text);
    });
  }

  private async put(tx: StorageTransaction, answer: string): Promise<void> {
    const { organizationId } = this.tenant;
    const { key, keyHash, fingerprint } = this.call;
    const createdAt = this.tenant.now();
    await tx.putAnswer(organizationId, {
      keyHash,
      fingerprint,
      sealed: sealed(organizationId, key, answer),
      createdAt,
    });
    await tx.removeAnswers(organizationId, createdAt - KEPT_MS, REMOVED_WITH_EACH);
  }
}

/** Ends a call that another process has answered meanwhile, before it has done anything. */
export class AnsweredMeanwhile extends Error {
  override readonly name = "AnsweredMeanwhile";
}
