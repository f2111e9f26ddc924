import { compareTexts } from "../../../src/base/values/text.js";
import type { PictureEntry, StoredPicture } from "../../../src/storage/wallets.js";
import type { OrganizationRows } from "./store/organization-rows.js";
import { freezeRow } from "./store/rows.js";
import type { Store } from "./store/store.js";
import type { UndoLog } from "./store/undo-log.js";

export function listPictures({ pictures }: OrganizationRows): PictureEntry[] {
  return [...pictures.values()]
    .sort((a, b) => a.createdAt - b.createdAt || compareTexts(a.hash, b.hash))
    .map(({ bytes: _, ...entry }) => entry);
}

export function findPicture(store: Store, hash: string): StoredPicture | null {
  for (const [, { pictures }] of store.all()) {
    const picture = pictures.get(hash);
    if (picture !== undefined) return { ...picture, bytes: picture.bytes.slice() };
  }
  return null;
}

export function putPicture({ pictures }: OrganizationRows, log: UndoLog, picture: StoredPicture): void {
  if (pictures.has(picture.hash)) return;
  log.add(pictures, picture.hash, freezeRow({ ...picture, bytes: new Uint8Array(picture.bytes) }));
}

export function deletePicture({ pictures }: OrganizationRows, log: UndoLog, hash: string): boolean {
  return log.delete(pictures, hash);
}
