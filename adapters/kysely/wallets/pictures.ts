import type { Functions } from "../../../src/storage/methods.js";
import type { WalletReads, WalletWrites } from "../../../src/storage/wallets.js";
import type { Changing } from "../change/pending.js";
import { called } from "../session/call-rules.js";
import { changed, first, type Reading } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { rowsOf } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

type Reads = Pick<WalletReads, "listPictures" | "findPicture">;
type Writes = Pick<WalletWrites, "putPicture" | "deletePicture">;

export function pictureReads({ db }: SqlDialect): Functions<Reads, Reading> {
  const found = db
    .selectFrom("loyalty_pictures")
    .select(["hash", "type", "width", "height", "created_at as createdAt"]);

  const all = prepare((slot: Slot<{ organizationId: string }>) =>
    found.where("organization_id", "=", slot("organizationId")).orderBy("created_at").orderBy("hash"),
  );

  const byHash = prepare((slot: Slot<{ hash: string }>) =>
    found.select("bytes").where("hash", "=", slot("hash")).limit(1),
  );

  return {
    listPictures: ({ session }, organizationId) => session.all(all({ organizationId })),

    findPicture: called({ locks: "none" }, function* ({ session }, hash) {
      const row = yield* first(session, byHash({ hash }));
      return row === null ? null : { ...row, bytes: new Uint8Array(row.bytes) };
    }),
  };
}

export function pictureWrites(dialect: SqlDialect): Functions<Writes, Changing> {
  const rows = rowsOf(dialect, tables.pictures);
  const put = rows.insertUnless("hash");

  return {
    *putPicture({ session, pending }, organizationId, picture) {
      yield* session.change(put(organizationId, picture));
      yield* pending.count(organizationId, {});
    },
    deletePicture: ({ session }, organizationId, hash) =>
      changed(session, rows.remove(organizationId, { hash })),
  };
}
