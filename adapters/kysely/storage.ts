import type { StorageAdapter, StorageReader, StorageTransaction } from "../../src/storage.js";
import { apiTokenReads, apiTokenWrites } from "./api-tokens.js";
import { assignmentReads, assignmentWrites } from "./assignments.js";
import { contactReads } from "./contacts.js";
import type { SqlDialect } from "./dialect.js";
import { eventReads, eventWrites } from "./events.js";
import { organizations } from "./organizations.js";
import { passReads, passWrites } from "./passes.js";
import { Pending, type WriteSession } from "./pending.js";
import { SegmentCache } from "./segment-cache.js";
import { segmentCheck } from "./segment-check.js";
import { segmentChunks } from "./segment-chunks.js";
import { segmentReads } from "./segments.js";
import type { ReadSession, Session, SqlDatabase } from "./session.js";
import { stampReads, stampWrites } from "./stamps.js";
import { tagReads, tagWrites } from "./tags.js";
import { templateReads, templateWrites } from "./templates.js";
import { userWrites } from "./user-writes.js";
import { userReads } from "./users.js";

const SEGMENT_CACHE_BYTES = 64 * 1024 * 1024;

/** The whole storage port on an SQL database whose tables are those of this release. */
export function sqlStorage(dialect: SqlDialect, database: SqlDatabase): StorageAdapter {
  const { readerOn, transactionOn } = queries(dialect);
  const cache = new SegmentCache(SEGMENT_CACHE_BYTES);
  const snapshot: StorageAdapter["snapshot"] = (work) =>
    database.snapshot((session) => work(readerOn(session, cache)));
  return {
    ...readerOn(database.session, cache),
    // These need more than one statement, so by themselves they could mix two states.
    listContacts: (...query) => snapshot((reader) => reader.listContacts(...query)),
    readSegments: (...query) => snapshot((reader) => reader.readSegments(...query)),
    verifySegments: (...query) => snapshot((reader) => reader.verifySegments(...query)),
    listEvents: (...query) => snapshot((reader) => reader.listEvents(...query)),
    snapshot,
    transaction: (work) =>
      database.transaction(async (session) => {
        const { tx, pending } = transactionOn(session);
        const result = await work(tx);
        await pending.write();
        return result;
      }),
    close: () => database.close(),
  };
}

/** Compiles every query of the port once; what it gives binds them to a session. */
function queries(dialect: SqlDialect) {
  const known = organizations(dialect);
  const chunks = segmentChunks(dialect);
  const segments = segmentReads(dialect);
  const check = segmentCheck(dialect, chunks);
  const contacts = contactReads(dialect);
  const reads = {
    users: userReads(dialect),
    tags: tagReads(dialect),
    assignments: assignmentReads(dialect),
    templates: templateReads(dialect),
    passes: passReads(dialect),
    stamps: stampReads(dialect),
    events: eventReads(dialect),
    apiTokens: apiTokenReads(dialect),
  };
  const writes = {
    users: userWrites(dialect),
    tags: tagWrites(dialect),
    assignments: assignmentWrites(dialect),
    templates: templateWrites(dialect),
    passes: passWrites(dialect),
    stamps: stampWrites(dialect),
    events: eventWrites(dialect),
    apiTokens: apiTokenWrites(dialect),
  };

  // Method by method: this runs once for each transaction, and spreading so many objects takes longer than a query.
  const readerOn = (session: ReadSession, cache: SegmentCache | null): StorageReader => {
    const user = reads.users(session);
    const tag = reads.tags(session);
    const assignment = reads.assignments(session);
    const set = segments(session, cache);
    const template = reads.templates(session);
    const pass = reads.passes(session);
    const apiToken = reads.apiTokens(session);
    return {
      findUser: user.findUser,
      findUserByExternalId: user.findUserByExternalId,
      findUserByEmail: user.findUserByEmail,
      listUsers: user.listUsers,
      usersByOrdinal: user.usersByOrdinal,
      listContacts: contacts(session, { ...set, usersByOrdinal: user.usersByOrdinal }).listContacts,
      findTag: tag.findTag,
      listTags: tag.listTags,
      tagsOfUser: assignment.tagsOfUser,
      slugsOfUsers: assignment.slugsOfUsers,
      usersOfTag: assignment.usersOfTag,
      readSegments: set.readSegments,
      verifySegments: check.reads(session).verifySegments,
      findTemplate: template.findTemplate,
      listTemplates: template.listTemplates,
      templateHasPasses: template.templateHasPasses,
      findPass: pass.findPass,
      findPassByCode: pass.findPassByCode,
      passesOfUsers: pass.passesOfUsers,
      listStampEntries: reads.stamps(session).listStampEntries,
      listEvents: reads.events(session).listEvents,
      listApiTokens: apiToken.listApiTokens,
      findApiToken: apiToken.findApiToken,
      findApiTokenByHash: apiToken.findApiTokenByHash,
      isEmpty: known.reads(session).isEmpty,
    };
  };

  const transactionOn = (raw: Session): { tx: StorageTransaction; pending: Pending } => {
    const pending = new Pending(raw, known, chunks);
    const session: WriteSession = {
      mark: raw.mark,
      all: (query) => raw.all(query),
      change: (statement) => raw.change(statement),
      pending,
    };
    /** For what reads counters or sets in the tables, or replaces them. */
    const afterWriting =
      <Args extends unknown[], Result>(call: (...args: Args) => Promise<Result>) =>
      async (...args: Args): Promise<Result> => {
        await pending.write();
        return call(...args);
      };
    const user = writes.users(session);
    const tag = writes.tags(session);
    const assignment = writes.assignments(session);
    const template = writes.templates(session);
    const pass = writes.passes(session);
    const event = writes.events(session);
    const apiToken = writes.apiTokens(session);
    // What a transaction wrote is not committed, so none of its sets may enter the cache.
    const reader = readerOn(session, null);
    const tx: StorageTransaction = {
      ...reader,
      listContacts: afterWriting(reader.listContacts),
      readSegments: afterWriting(reader.readSegments),
      verifySegments: afterWriting(reader.verifySegments),
      isEmpty: afterWriting(reader.isEmpty),
      nextUser: user.nextUser,
      insertUser: user.insertUser,
      updateUser: user.updateUser,
      deleteUser: user.deleteUser,
      insertTag: tag.insertTag,
      updateTag: tag.updateTag,
      deleteTag: tag.deleteTag,
      assignTag: assignment.assignTag,
      assignTags: assignment.assignTags,
      unassignTag: assignment.unassignTag,
      unassignUsers: assignment.unassignUsers,
      rebuildSegments: afterWriting(check.writes(session).rebuildSegments),
      insertTemplate: template.insertTemplate,
      updateTemplate: template.updateTemplate,
      deleteTemplate: template.deleteTemplate,
      insertPass: pass.insertPass,
      updateInstallation: pass.updateInstallation,
      deletePass: pass.deletePass,
      recordStamps: writes.stamps(session).recordStamps,
      appendEvents: event.appendEvents,
      removeEvents: event.removeEvents,
      insertApiToken: apiToken.insertApiToken,
      touchApiToken: apiToken.touchApiToken,
      deleteApiToken: apiToken.deleteApiToken,
    };
    return { tx, pending };
  };

  return { readerOn, transactionOn };
}
