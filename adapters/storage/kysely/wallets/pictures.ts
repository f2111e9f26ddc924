import type { Functions } from "../../../../src/storage/methods.js";
import type { WalletLookUps, WalletReads, WalletWrites } from "../../../../src/storage/wallets.js";
import type { ReadModule, WriteContext } from "../change/commit-buffer.js";
import { changeRow, findFirst, prepare, type Slot } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";

import { createRowStatements } from "../sql/rows.js";
import { tables } from "../sql/tables.js";

type Reads = Pick<WalletReads, "listPictures">;
type LookUps = Pick<WalletLookUps, "findPicture">;
type Writes = Pick<WalletWrites, "putPicture" | "deletePicture">;

export function pictureReads({ db }: SqlDialect): ReadModule<Reads, LookUps> {
  const pictures = db
    .selectFrom("loyalty_pictures")
    .select(["hash", "type", "width", "height", "created_at as createdAt"]);

  const listAll = prepare((slot: Slot<{ organizationId: string }>) =>
    pictures.where("organization_id", "=", slot("organizationId")).orderBy("created_at").orderBy("hash"),
  );

  const findByHash = prepare((slot: Slot<{ hash: string }>) =>
    pictures.select("bytes").where("hash", "=", slot("hash")).limit(1),
  );

  return {
    reads: {
      listPictures: ({ session, organizationId }) => session.all(listAll({ organizationId })),
    },
    lookUps: {
      *findPicture({ session }, hash) {
        const row = yield* findFirst(session, findByHash({ hash }));
        return row === null ? null : { ...row, bytes: new Uint8Array(row.bytes) };
      },
    },
  };
}

export function pictureWrites(dialect: SqlDialect): Functions<Writes, WriteContext> {
  const rows = createRowStatements(dialect, tables.pictures);
  const insertPicture = rows.prepareInsertUnless("hash");

  return {
    *putPicture({ session, buffer, organizationId }, picture) {
      yield* session.change(insertPicture(organizationId, picture));
      yield* buffer.updateCounters(organizationId, {});
    },
    deletePicture: ({ session, organizationId }, hash) =>
      changeRow(session, rows.remove(organizationId, { hash })),
  };
}
