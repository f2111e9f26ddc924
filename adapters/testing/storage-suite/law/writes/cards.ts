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
import {
  actors,
  chooseRow,
  createOrShareRow,
  pickTemplate,
  pickUser,
  type Write,
  type WriteName,
} from "./choosing.js";

function preparePass(world: World, user: StoredUser, row: StoredPass): StoredPass {
  const pass = { ...row, userId: user.id };
  return world.oneIn(4) ? { ...pass, code: world.pickOne(world.passes).code } : pass;
}

export const pickPass = (tx: StorageTransaction, world: World) =>
  chooseRow(world, world.passes, (pass) => tx.findPass(pass.id));

export const cardWrites = {
  *insertTemplate(tx, world) {
    const isStored = function* (row: { id: string }) {
      return (yield* tx.findTemplate(row.id)) !== null;
    };
    const template = yield* createOrShareRow(world, world.templates, isStored, () =>
      someTemplate({ ...world.createFields(templateRecord), id: world.id() }),
    );
    yield* tx.insertTemplate(world.track(world.templates, template));
  },
  updateTemplate: (tx, world) =>
    tx.updateTemplate({ ...world.pickOne(world.templates), ...world.createFields(templateRecord) }),
  *deleteTemplate(tx, world) {
    const template = world.pickOne(world.templates);
    if (!(yield* tx.templateHasPasses(template.id))) yield* tx.deleteTemplate(template.id);
  },
  *insertPass(tx, world) {
    const [user, template] = [yield* pickUser(tx, world), yield* pickTemplate(tx, world)];
    if (user === null || template === null) return;
    const isStored = function* (row: { id: string }) {
      return (yield* tx.findPass(row.id)) !== null;
    };
    const newPass = yield* createOrShareRow(world, world.passes, isStored, () =>
      somePass(user, template, { ...world.createFields(passRecord), id: world.id(), code: world.name() }),
    );
    const { card } = somePass(user, template);
    const pass = { ...preparePass(world, user, newPass), templateId: template.id, card };
    yield* tx.insertPass(pass);
    world.track(world.passes, pass);
  },
  *insertPasses(tx, world) {
    const passes: PassToInsert[] = [];
    for (let count = world.randomBelow(3); count > 0; count -= 1) {
      const [user, template] = [yield* pickUser(tx, world), yield* pickTemplate(tx, world)];
      if (user === null || template === null) continue;
      const pass = preparePass(world, user, somePass(user, template));
      const { card, entry } = someStamp(pass, world.pickOne(actors));
      const isStamped = pass.card !== null && world.oneIn(2);
      const points = world.oneIn(2) ? { points: somePoints(pass.id, null) } : {};
      passes.push({
        ...(isStamped ? { pass: { ...pass, card }, entries: [entry] } : { pass, entries: [] }),
        ...points,
      });
    }
    yield* tx.insertPasses(passes);
    for (const { pass, entries } of passes) {
      world.track(world.passes, pass);
      for (const entry of entries) world.track(world.entries, entry);
    }
  },
  updateInstallation: (tx, world) =>
    tx.updateInstallation(
      world.pickOne(world.passes).id,
      world.pickOne(["INSTALLED", "UNINSTALLED"] as const),
      world.time(),
    ),
  *deletePass(tx, world) {
    const pass = (yield* pickPass(tx, world)) ?? world.pickOne(world.passes);
    yield* tx.deletePass(pass.id);
  },
  *recordStamps(tx, world) {
    const pass = yield* pickPass(tx, world);
    if (pass === null) return;
    const reversedEntry = yield* tx.findStampEntry(pass.id, world.pickOne(world.entries).id);
    const isReversal = reversedEntry !== null && !reversedEntry.isReversed;
    const { id: none, ...fields } = world.createFields(stampEntryRecord);
    const { card, entry } = someStamp(pass, {
      ...fields,
      ...world.pickOne(actors),
      type: isReversal
        ? "reversed"
        : world.pickOne([
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
      delta: world.randomBelow(7) - 3,
    });
    yield* tx.recordStamps(card, world.track(world.entries, entry));
  },
  updateVisits: (tx, world) => {
    const visits = world.pickSome([1, 3, 5, 7, 9], 4).sort((one, other) => other - one);
    return tx.updateVisits(world.pickOne(world.passes).id, {
      visits: JSON.stringify(visits),
      lastStampAt: world.orNull(world.time()),
    });
  },
} satisfies Partial<Record<WriteName, Write>>;
