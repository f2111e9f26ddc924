import {
  type PassToInsert,
  passRecord,
  type StoredPass,
  stampEntryRecord,
} from "../../../../../src/storage/passes.js";
import type { StorageTransaction } from "../../../../../src/storage/storage-adapter.js";
import { templateRecord } from "../../../../../src/storage/templates.js";
import type { StoredUser } from "../../../../../src/storage/users.js";
import { somePoints } from "../../kit/purchase-records.js";
import { somePass, someStamp, someTemplate } from "../../kit/records.js";
import type { World } from "../world.js";
import { actors, aTemplate, aUser, chooseRow, newOrShared, type Write, type WriteName } from "./choosing.js";

function aPass(world: World, user: StoredUser, row: StoredPass): StoredPass {
  const pass = { ...row, userId: user.id };
  return world.rarely(4) ? { ...pass, code: world.one(world.passes).code } : pass;
}

export const pickPass = (tx: StorageTransaction, world: World) =>
  chooseRow(world, world.passes, (pass) => tx.findPass(pass.id));

export const cardWrites = {
  *insertTemplate(tx, world) {
    const isThere = function* (row: { id: string }) {
      return (yield* tx.findTemplate(row.id)) !== null;
    };
    const template = yield* newOrShared(world, world.templates, isThere, () =>
      someTemplate({ ...world.fieldsOf(templateRecord), id: world.id() }),
    );
    yield* tx.insertTemplate(world.keep(world.templates, template));
  },
  updateTemplate: (tx, world) =>
    tx.updateTemplate({ ...world.one(world.templates), ...world.fieldsOf(templateRecord) }),
  *deleteTemplate(tx, world) {
    const template = world.one(world.templates);
    if (!(yield* tx.templateHasPasses(template.id))) yield* tx.deleteTemplate(template.id);
  },
  *insertPass(tx, world) {
    const [user, template] = [yield* aUser(tx, world), yield* aTemplate(tx, world)];
    if (user === null || template === null) return;
    const isThere = function* (row: { id: string }) {
      return (yield* tx.findPass(row.id)) !== null;
    };
    const newPass = yield* newOrShared(world, world.passes, isThere, () =>
      somePass(user, template, { ...world.fieldsOf(passRecord), id: world.id(), code: world.name() }),
    );
    const { card } = somePass(user, template);
    const pass = { ...aPass(world, user, newPass), templateId: template.id, card };
    yield* tx.insertPass(pass);
    world.keep(world.passes, pass);
  },
  *insertPasses(tx, world) {
    const passes: PassToInsert[] = [];
    for (let count = world.below(3); count > 0; count -= 1) {
      const [user, template] = [yield* aUser(tx, world), yield* aTemplate(tx, world)];
      if (user === null || template === null) continue;
      const pass = aPass(world, user, somePass(user, template));
      const { card, entry } = someStamp(pass, world.one(actors));
      const isStamped = pass.card !== null && world.rarely(2);
      const points = world.rarely(2) ? { points: somePoints(pass.id, null) } : {};
      passes.push({
        ...(isStamped ? { pass: { ...pass, card }, entries: [entry] } : { pass, entries: [] }),
        ...points,
      });
    }
    yield* tx.insertPasses(passes);
    for (const { pass, entries } of passes) {
      world.keep(world.passes, pass);
      for (const entry of entries) world.keep(world.entries, entry);
    }
  },
  updateInstallation: (tx, world) =>
    tx.updateInstallation(
      world.one(world.passes).id,
      world.one(["INSTALLED", "UNINSTALLED"] as const),
      world.time(),
    ),
  *deletePass(tx, world) {
    const pass = (yield* pickPass(tx, world)) ?? world.one(world.passes);
    yield* tx.deletePass(pass.id);
  },
  *recordStamps(tx, world) {
    const pass = yield* pickPass(tx, world);
    if (pass === null) return;
    const reversedEntry = yield* tx.findStampEntry(pass.id, world.one(world.entries).id);
    const isReversal = reversedEntry !== null && !reversedEntry.isReversed;
    const { id: none, ...fields } = world.fieldsOf(stampEntryRecord);
    const { card, entry } = someStamp(pass, {
      ...fields,
      ...world.one(actors),
      type: isReversal
        ? "reversed"
        : world.one([
            "added",
            "removed",
            "set",
            "reset",
            "redeemed",
            "granted",
            "earned",
            "returned",
          ] as const),
      reverses: isReversal ? reversedEntry.id : null,
      delta: world.below(7) - 3,
    });
    yield* tx.recordStamps(card, world.keep(world.entries, entry));
  },
  updateVisits: (tx, world) => {
    const visits = world.some([1, 3, 5, 7, 9], 4).sort((one, other) => other - one);
    return tx.updateVisits(world.one(world.passes).id, {
      visits: JSON.stringify(visits),
      lastStampAt: world.orNull(world.time()),
    });
  },
} satisfies Partial<Record<WriteName, Write>>;
