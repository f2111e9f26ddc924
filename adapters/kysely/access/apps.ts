import type { AppReads, AppWrites, StoredApp } from "../../../src/storage/apps.js";
import type { Functions } from "../../../src/storage/methods.js";
import type { Changing } from "../change/pending.js";
import { called } from "../session/call-rules.js";
import { changed, first, type Reading } from "../session/session.js";
import type { SqlDialect } from "../sql/dialect.js";
import { prepare, type Slot } from "../sql/prepared.js";
import { textsOf } from "../sql/text-list.js";

type Reads = Pick<AppReads, "listApps" | "findApp">;
type Writes = Pick<AppWrites, "insertApp" | "updateApp" | "deleteApp">;

/** An app as the port has it, but for its lists, which are JSON here, and no secret, which is an empty hash. */
type AppValues = Omit<StoredApp, "redirectUris" | "scopes"> & {
  readonly redirectUris: string;
  readonly scopes: string;
};

export function appReads({ db }: SqlDialect): Functions<Reads, Reading> {
  const found = db
    .selectFrom("loyalty_apps")
    .select([
      "id",
      "name",
      "secret_hash as secretHash",
      "previous_secret_hash as previousSecretHash",
      "previous_secret_expires_at as previousSecretExpiresAt",
      "redirect_uris as redirectUris",
      "scopes",
      "made_by as madeBy",
      "created_at as createdAt",
      "updated_at as updatedAt",
    ]);

  const all = prepare((slot: Slot<{ organizationId: string }>) =>
    found
      .where("organization_id", "=", slot("organizationId"))
      .orderBy("loyalty_apps.created_at")
      .orderBy("loyalty_apps.id"),
  );

  const byId = prepare((slot: Slot<{ id: string }>) =>
    found.select("organization_id as organizationId").where("id", "=", slot("id")),
  );

  return {
    listApps: function* ({ session }, organizationId) {
      return (yield* session.all(all({ organizationId }))).map(appOf);
    },

    findApp: called({ locks: "none" }, function* ({ session }, id) {
      const row = yield* first(session, byId({ id }));
      if (row === null) return null;
      const { organizationId, ...values } = row;
      return { organizationId, app: appOf(values) };
    }),
  };
}

export function appWrites({ db }: SqlDialect): Functions<Writes, Changing> {
  const insert = prepare((slot: Slot<AppValues & { organizationId: string }>) =>
    db.insertInto("loyalty_apps").values({
      organization_id: slot("organizationId"),
      id: slot("id"),
      name: slot("name"),
      secret_hash: slot("secretHash"),
      previous_secret_hash: slot("previousSecretHash"),
      previous_secret_expires_at: slot("previousSecretExpiresAt"),
      redirect_uris: slot("redirectUris"),
      scopes: slot("scopes"),
      made_by: slot("madeBy"),
      created_at: slot("createdAt"),
      updated_at: slot("updatedAt"),
    }),
  );

  const update = prepare((slot: Slot<AppValues & { organizationId: string }>) =>
    db
      .updateTable("loyalty_apps")
      .set({
        name: slot("name"),
        secret_hash: slot("secretHash"),
        previous_secret_hash: slot("previousSecretHash"),
        previous_secret_expires_at: slot("previousSecretExpiresAt"),
        redirect_uris: slot("redirectUris"),
        scopes: slot("scopes"),
        updated_at: slot("updatedAt"),
      })
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("id")),
  );

  const remove = prepare((slot: Slot<{ organizationId: string; id: string }>) =>
    db
      .deleteFrom("loyalty_apps")
      .where("organization_id", "=", slot("organizationId"))
      .where("id", "=", slot("id")),
  );

  return {
    *insertApp({ session, pending }, organizationId, app) {
      yield* session.change(insert({ organizationId, ...valuesOf(app) }));
      yield* pending.count(organizationId, {});
    },
    updateApp: ({ session }, organizationId, app) =>
      changed(session, update({ organizationId, ...valuesOf(app) })),
    deleteApp: ({ session }, organizationId, id) => changed(session, remove({ organizationId, id })),
  };
}

function appOf(values: AppValues): StoredApp {
  return {
    ...values,
    secretHash: values.secretHash || null,
    redirectUris: textsOf(values.redirectUris),
    scopes: textsOf(values.scopes),
  };
}

function valuesOf(app: StoredApp): AppValues {
  return {
    ...app,
    secretHash: app.secretHash ?? "",
    redirectUris: JSON.stringify(app.redirectUris),
    scopes: JSON.stringify(app.scopes),
  };
}
