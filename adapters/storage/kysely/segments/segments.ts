import { type Expression, sql } from "kysely";
import type { Step } from "../../../../src/base/concurrency/step.js";
import { signals } from "../../../../src/base/signals.js";
import { Bitmap, type Chunk } from "../../../../src/storage/bitmap.js";
import type { Functions } from "../../../../src/storage/methods.js";
import type { StorageReader } from "../../../../src/storage/storage-adapter.js";
import { parseSetVersions } from "../change/organizations.js";
import { withRules } from "../session/call-rules.js";
import { prepare, type ReadSession, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

import { decodeChunk } from "./chunk-encoding.js";
import { ALL_USERS, type CachedSet, type SetReadContext } from "./segment-cache.js";

/**
 * Maximum number of sets cached per state. This exceeds a large merchant's number of tags, and is low enough to drop them all
 * together.
 */
const MAX_CACHED_SETS = 10_000;

/** A placeholder that is older than any set, so that every chunk is newer. */
const placeholder: CachedSet = { version: -1, bitmap: Bitmap.empty };

/**
 * Creates the read functions for sets. Each read first looks up the sets' versions. This takes one statement, or none if
 * nothing has been committed since the last read. The read then loads only the chunks that have changed since the set was cached.
 */
export function segmentReads({
  db,
  isOneOf,
  listParameter,
}: SqlDialect): Functions<Pick<StorageReader, "readTagSets">, SetReadContext> {
  const directory = new SetDirectory();

  const selectNewerVersions = (organizationId: Expression<string>) =>
    sql<
      string | null
    >`(select set_versions from loyalty_organizations where organization_id = ${organizationId})`;

  const selectVersions = prepare((slot: Slot<{ organizationId: string; slugs: unknown }>) =>
    db
      .selectFrom("loyalty_user_tags")
      .leftJoin("loyalty_segment_sets", (join) =>
        join
          .onRef("loyalty_segment_sets.organization_id", "=", "loyalty_user_tags.organization_id")
          .onRef("loyalty_segment_sets.set_id", "=", "loyalty_user_tags.ordinal"),
      )
      .select(({ ref }) => [
        ref("loyalty_user_tags.slug").$castTo<string | null>().as("slug"),
        "loyalty_user_tags.ordinal as setId",
        "loyalty_segment_sets.version",
        selectNewerVersions(slot("organizationId")).as("newer"),
      ])
      .where("loyalty_user_tags.organization_id", "=", slot("organizationId"))
      .where(({ ref }) => isOneOf(ref("loyalty_user_tags.slug"), slot("slugs")))
      .unionAll(
        db
          .selectFrom("loyalty_segment_sets")
          .select(({ lit }) => [
            lit(null).as("slug"),
            "set_id as setId",
            "version",
            selectNewerVersions(slot("organizationId")).as("newer"),
          ])
          .where("organization_id", "=", slot("organizationId"))
          .where("set_id", "=", ALL_USERS),
      ),
  );

  const selectChunksAfter = prepare(
    (slot: Slot<{ organizationId: string; setId: number; version: number }>) =>
      db
        .selectFrom("loyalty_segment_chunks")
        .select(["chunk", "bits"])
        .where("organization_id", "=", slot("organizationId"))
        .where("set_id", "=", slot("setId"))
        .where("version", ">", slot("version")),
  );

  function* readBitmap(
    { session, organizationId, cache }: SetReadContext,
    setId: number,
    version: number,
  ): Step<Bitmap> {
    const cached = cache?.get(organizationId, setId);
    const isCurrent = cached?.version === version;
    if (cache !== null) signals.segmentRead.send(isCurrent);
    if (isCurrent) return cached.bitmap;
    // A snapshot may be older than a set that another reader has cached since.
    const base = cached !== undefined && cached.version < version ? cached : placeholder;
    const since = base.version;
    const chunks: (Chunk | undefined)[] = [];
    for (let at = 0; at < base.bitmap.length; at += 1) chunks.push(base.bitmap.chunk(at));
    for (const { chunk, bits } of yield* session.all(
      selectChunksAfter({ organizationId, setId, version: since }),
    )) {
      chunks[chunk] = decodeChunk(bits);
    }
    const bitmap = new Bitmap(chunks);
    cache?.put(organizationId, setId, { version, bitmap });
    return bitmap;
  }

  function* readSets(
    session: ReadSession,
    organizationId: string,
    slugs: readonly string[],
  ): Step<readonly SetRow[]> {
    const cached = directory.find(session.committedState, organizationId, slugs);
    if (cached !== null) return cached;
    const rows = yield* session.all(selectVersions({ organizationId, slugs: listParameter(slugs) }));
    const newer = parseSetVersions(rows[0]?.newer ?? null);
    const sets = rows.map(({ slug, setId, version }) => ({
      ...{ slug, setId },
      version: version && Math.max(version, newer.get(setId) ?? 0),
    }));
    directory.put(session.committedState, organizationId, sets);
    return sets;
  }

  return {
    readTagSets: withRules({ readsBuffered: true, needsSnapshot: true }, function* (context, slugs) {
      let users = Bitmap.empty;
      const tags = new Map<string, Bitmap>();
      for (const { slug, setId, version } of yield* readSets(
        context.session,
        context.organizationId,
        slugs,
      )) {
        const bitmap = version === null ? Bitmap.empty : yield* readBitmap(context, setId, version);
        if (slug === null) users = bitmap;
        else tags.set(slug, bitmap);
      }
      return { users, tags };
    }),
  };
}

/**
 * A tag set and its version. `slug` is the tag's slug, or `null` for the set of all users. `version` is `null` if the set has no
 * row.
 */
interface SetRow {
  readonly slug: string | null;
  readonly setId: number;
  readonly version: number | null;
}

/** Caches the existing tag sets and their versions. There are separate entries for each committed state that readers still use. */
export class SetDirectory {
  /**
   * Keyed by the object that identifies a committed state. When no reader holds that object, the state's entry is
   * garbage-collected.
   */
  readonly #states = new WeakMap<object, Map<string, SetRow>>();

  /**
   * Finds the set of all users and the sets of these tags in a committed state. Returns `null` unless all of these sets are
   * cached. Slugs that belong to no tag are never cached.
   * @param committedState the object that identifies the committed state, or `null` if the state is unknown.
   */
  find(committedState: object | null, organizationId: string, slugs: readonly string[]): SetRow[] | null {
    const rows = committedState === null ? undefined : this.#states.get(committedState);
    if (rows === undefined) return null;
    const setRows: SetRow[] = [];
    for (const slug of [null, ...slugs]) {
      const row = rows.get(buildKey(organizationId, slug));
      if (row === undefined) return null;
      setRows.push(row);
    }
    return setRows;
  }

  put(committedState: object | null, organizationId: string, rows: readonly SetRow[]): void {
    if (committedState === null) return;
    let state = this.#states.get(committedState);
    if (state === undefined || state.size + rows.length > MAX_CACHED_SETS) {
      state = new Map();
      this.#states.set(committedState, state);
    }
    for (const row of rows) state.set(buildKey(organizationId, row.slug), row);
  }
}

/** Organization IDs and slugs contain no NUL, so keys are unique. A slug from a caller's filter may contain any other character. */
function buildKey(organizationId: string, slug: string | null): string {
  return slug === null ? organizationId : `${organizationId}\0${slug}`;
}
