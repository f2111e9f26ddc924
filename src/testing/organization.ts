import type {
  NewEvent,
  StorageAdapter,
  StorageTransaction,
  StoredApiToken,
  StoredAssignment,
  StoredEvent,
  StoredPass,
  StoredStampEntry,
  StoredTag,
  StoredTemplate,
  StoredUser,
} from "../storage.js";
import {
  foldsOf,
  someApiToken,
  someAssignment,
  someEvent,
  somePass,
  someStamp,
  someTag,
  someTemplate,
  someUser,
} from "./records.js";

type Write = <T>(work: (tx: StorageTransaction) => Promise<T>) => Promise<T>;

/** Adds new records to one organization of a store and answers them as they were stored. */
export class Organization {
  private constructor(
    readonly id: string,
    /** Runs the work in one transaction. */
    readonly write: Write,
  ) {}

  /** Each record in a transaction of its own. */
  static of(storage: StorageAdapter, id: string): Organization {
    return new Organization(id, (work) => storage.transaction(work));
  }

  /** The same organization inside a transaction. */
  within(tx: StorageTransaction): Organization {
    return new Organization(this.id, (work) => work(tx));
  }

  user(fields: Partial<Omit<StoredUser, "ordinal">> = {}): Promise<StoredUser> {
    return this.write(async (tx) => {
      const { ordinal } = await tx.nextUser(this.id);
      const user = someUser({ ...fields, ordinal });
      await tx.insertUser(this.id, user, foldsOf(user));
      return user;
    });
  }

  /** As many users as there are fields given, in one transaction. */
  users(fields: readonly Partial<Omit<StoredUser, "ordinal">>[]): Promise<StoredUser[]> {
    return this.write(async (tx) => {
      const users: StoredUser[] = [];
      for (const each of fields) users.push(await this.within(tx).user(each));
      return users;
    });
  }

  tag(fields: Partial<StoredTag> = {}): Promise<StoredTag> {
    const tag = someTag(fields);
    return this.stored(tag, (tx) => tx.insertTag(this.id, tag));
  }

  assign(
    user: StoredUser,
    tag: StoredTag,
    fields: Partial<StoredAssignment> = {},
  ): Promise<StoredAssignment> {
    const assignment = someAssignment(user, tag, fields);
    return this.stored(assignment, (tx) => tx.assignTag(this.id, assignment));
  }

  template(fields: Partial<StoredTemplate> = {}): Promise<StoredTemplate> {
    const template = someTemplate(fields);
    return this.stored(template, (tx) => tx.insertTemplate(this.id, template));
  }

  pass(user: StoredUser, template: StoredTemplate, fields: Partial<StoredPass> = {}): Promise<StoredPass> {
    const pass = somePass(user, template, fields);
    return this.stored(pass, (tx) => tx.insertPass(this.id, pass));
  }

  /** Adds a stamp to the pass as it is stored now. */
  stamp(passId: string, fields: Partial<StoredStampEntry> = {}): Promise<StoredStampEntry> {
    return this.write(async (tx) => {
      const pass = await tx.findPass(this.id, passId);
      if (pass === null) throw new Error(`there is no pass ${passId}`);
      const { card, entry } = someStamp(pass, fields);
      await tx.recordStamps(this.id, card, entry);
      return entry;
    });
  }

  apiToken(fields: Partial<StoredApiToken> = {}): Promise<StoredApiToken> {
    const token = someApiToken(fields);
    return this.stored(token, (tx) => tx.insertApiToken(this.id, token));
  }

  /** As many events as there are fields given, in one transaction. */
  events(fields: readonly Partial<NewEvent>[]): Promise<StoredEvent[]> {
    const events = fields.map(someEvent);
    return this.write(async (tx) => {
      const last = await tx.appendEvents(this.id, events);
      return events.map((event, at) => ({ ...event, position: last - events.length + 1 + at }));
    });
  }

  private stored<Row>(row: Row, insert: (tx: StorageTransaction) => Promise<void>): Promise<Row> {
    return this.write(async (tx) => {
      await insert(tx);
      return row;
    });
  }
}
