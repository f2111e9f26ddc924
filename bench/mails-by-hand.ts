import { randomUUID } from "node:crypto";
import Database from "better-sqlite3";

/** A mail as a program of one's own knows it. */
interface OwnMail {
  readonly id: string;
  readonly address: string;
  readonly pass_id: string;
}

const AT_ONCE = 10;
const CLAIM_MS = 60_000;

/** Mails as an engineer would queue and send them for one company: a table of the same columns, and no text of a card's. */
export class MailsByHand {
  readonly #db: Database.Database;
  readonly #due: Database.Statement<[number, number], OwnMail>;
  readonly #claim: Database.Statement;
  readonly #settle: Database.Statement;
  readonly #insert: Database.Statement;

  constructor(file: string) {
    this.#db = new Database(file);
    this.#db.pragma("journal_mode = WAL");
    this.#db.pragma("synchronous = FULL");
    this.#db.exec(`
      create table mails (
        id text primary key, kind text not null, user_id text not null, pass_id text not null, address text not null,
        channel text not null, language text, status text not null, reason text, is_uncertain integer not null,
        attempts text not null, failures integer not null, next_attempt_at integer, expires_at integer not null,
        created_at integer not null, updated_at integer not null) strict;
      create index mails_due on mails (next_attempt_at) where next_attempt_at is not null;
      create index mails_of_user on mails (user_id, created_at, id);
      create index mails_of_pass on mails (pass_id, created_at, id);
      create index mails_by_age on mails (created_at, id);
      create index mails_pending on mails (status) where status in ('PENDING', 'SENDING')`);
    this.#insert = this.#db.prepare(
      "insert into mails values (?, 'pass', ?, ?, ?, 'email', null, 'PENDING', null, 0, '[]', 0, ?, ?, ?, ?)",
    );
    this.#due = this.#db.prepare(
      "select id, address, pass_id from mails where next_attempt_at <= ? order by next_attempt_at limit ?",
    );
    this.#claim = this.#db.prepare(
      "update mails set status = 'SENDING', next_attempt_at = ?, updated_at = ? where id = ?",
    );
    this.#settle = this.#db.prepare(
      "update mails set status = 'ACCEPTED', next_attempt_at = null, attempts = ?, updated_at = ? where id = ?",
    );
  }

  queue(address: string): void {
    const now = Date.now();
    const [id, user, pass] = [randomUUID(), randomUUID(), randomUUID()];
    this.#insert.run(id, user, pass, address, now, now + 48 * 3_600_000, now, now);
  }

  /** Queues mails in one transaction. */
  queueAll(addresses: readonly string[]): void {
    this.#db.transaction(() => {
      for (const address of addresses) this.queue(address);
    })();
  }

  /** Sends all due mails, ten at the same time, each claimed before and recorded afterwards. */
  async sendAll(
    send: (mail: { readonly id: string; readonly text: string }) => Promise<void>,
  ): Promise<void> {
    for (let batch = this.claimMails(); batch.length > 0; batch = this.claimMails()) {
      await Promise.all(
        batch.map(({ id, address, pass_id }) => {
          const link = `https://shop.example/c/${pass_id}`;
          return send({
            id,
            text: `To: ${address}\r\nSubject: Your card\r\n\r\nHere is your card: ${link}\r\n`,
          });
        }),
      );
      this.recordSent(batch);
    }
  }

  get accepted(): unknown {
    return this.#db.prepare("select count(*) from mails where status = 'ACCEPTED'").pluck().get();
  }

  close(): void {
    this.#db.close();
  }

  private claimMails(): OwnMail[] {
    const now = Date.now();
    return this.#db.transaction(() => {
      const dueMails = this.#due.all(now, AT_ONCE);
      for (const { id } of dueMails) this.#claim.run(now + CLAIM_MS, now, id);
      return dueMails;
    })();
  }

  private recordSent(mails: readonly OwnMail[]): void {
    const now = Date.now();
    const attempts = JSON.stringify([{ at: now, durationMs: 0, code: 250, answer: "2.0.0 Ok" }]);
    this.#db.transaction(() => {
      for (const { id } of mails) this.#settle.run(attempts, now, id);
    })();
  }
}
