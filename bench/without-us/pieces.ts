import type { Organization } from "loyalty-kit";
import { CommitGuard } from "../answered-as-safely.js";
import type { Settings } from "../bench.js";
import { cycleScattered, listPassIds } from "../customers.js";
import { HandWritten, type NewCustomer } from "../hand-written.js";
import { generateUnknownCustomers, toInput } from "../new-customers.js";
import { copyFile, createOurFile } from "../our-file.js";
import { atLeast, formatMs, type Row } from "../report.js";
import type { Work } from "../timing.js";
import { addTagsToFile, CALLERS, createNewPairs, NEW_TAGS } from "../writes.js";
import { createOwnFile } from "./own-file.js";
import { OwnProgram } from "./own-program.js";

/** A kind of write, as each side does it. */
export interface Piece {
  readonly label: string;
  readonly ours: Work;
  /** By hand, in its own tables. */
  readonly own: Work;
  /** By hand, in the tables of the library. */
  readonly same: Work;
  readonly grouped: Work;
  readonly sameGrouped: Work;
  /** The minimum ratio of single calls. */
  readonly minRatio: number;
}

/** The sides by hand: a program on its own tables, and one on the library's tables. */
export interface ByHand {
  readonly own: OwnProgram;
  readonly sameRows: HandWritten;
  /** Confirms writes to the library's tables. */
  readonly safely: CommitGuard;
}

/** Opens the sides by hand. @returns the file for the library, too. */
export async function openByHand({ sharedFolder, folder, users }: Settings) {
  const file = await addTagsToFile(copyFile(await createOurFile(sharedFolder, users), folder, "ours"));
  const sameFile = copyFile(file, folder, "same-rows");
  const own = new OwnProgram(copyFile(createOwnFile(sharedFolder, users), folder, "own"));
  for (let tag = 0; tag < NEW_TAGS; tag += 1) own.createTag(`new-${tag}`);
  const sameRows = new HandWritten(sameFile);
  const byHand: ByHand = { own, sameRows, safely: new CommitGuard(sameFile) };
  const closeAll = () => {
    for (const side of Object.values(byHand)) side.close();
  };
  return { file, byHand, close: closeAll };
}

/** @param size how many users the organization has. @param usersByHand how many users the sides by hand have. */
export function createPieces(
  organization: Organization,
  size: number,
  { own, sameRows }: ByHand,
  usersByHand: number,
): readonly Piece[] {
  const ours = createCalls(organization, createInputs(size));
  const byHand = createInputs(usersByHand);
  const same = createInputs(usersByHand);
  const createUntagged = () => ({ ...same.strangers(), tags: [] });
  return [
    {
      label: "users.create",
      ours: ours.create,
      own: () => own.createUser(byHand.strangers()),
      same: () => sameRows.createUser(same.strangers()),
      grouped: () => own.createUsers(repeat(byHand.strangers)),
      sameGrouped: () => sameRows.createUsers(repeat(createUntagged)),
      minRatio: 1,
    },
    {
      label: "tags.assign",
      ours: ours.assign,
      own: () => own.assign(...byHand.pairs()),
      same: () => sameRows.assign(...same.pairs()),
      grouped: () => own.assignAll(repeat(byHand.pairs)),
      sameGrouped: () => sameRows.assignAll(repeat(same.pairs)),
      minRatio: 0.8,
    },
    {
      label: "stamps.add",
      ours: ours.stamp,
      own: () => own.addStamp(byHand.passes()),
      same: () => sameRows.addStamp(same.passes()),
      grouped: () => own.addStamps(repeat(byHand.passes)),
      sameGrouped: () => sameRows.addStamps(repeat(same.passes)),
      minRatio: 0.8,
    },
  ];
}

function createCalls({ users, tags, stamps }: Organization, inputs: ReturnType<typeof createInputs>) {
  return {
    create: () => users.create(toInput(inputs.strangers())),
    assign: () => tags.assign(...inputs.pairs()),
    stamp: () => stamps.add(inputs.passes()),
  };
}

/** The input of the writes: the same for all sides. */
function createInputs(users: number) {
  const [people, pairs, passes] = [
    generateUnknownCustomers(),
    createNewPairs(users),
    cycleScattered(listPassIds(users)),
  ];
  return {
    strangers: (): NewCustomer => people.next().value,
    pairs: () => pairs.next().value,
    passes: () => passes.next().value,
  };
}

function repeat<T>(next: () => T): T[] {
  return Array.from({ length: CALLERS }, next);
}

/** Compares the cost of single writes. @param min the minimum ratio, if there is a goal. */
export function buildRowOfOne(label: string, ours: number, byHand: number, min?: number): Row {
  return buildRow(label, ours, byHand, "own tables", min);
}

/** Compares the cost of writes by many concurrent callers, by the time of all of them. */
export function buildRowOfMany(label: string, ours: number, grouped: number, min?: number): Row {
  return buildRow(label, ours / CALLERS, grouped / CALLERS, `own tables, ${CALLERS} a transaction`, min);
}

function buildRow(label: string, ours: number, peer: number, peerName: string, min?: number): Row {
  const ratio = peer / ours;
  const goals = min === undefined ? [] : [atLeast(ratio, min)];
  return { label, ours: formatMs(ours), peer: formatMs(peer), peerName, ratio, goals };
}
