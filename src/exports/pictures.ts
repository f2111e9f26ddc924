import type { Tenant } from "../tenant/tenant.js";
import type { ZippedFile } from "./zip.js";

const endings: ReadonlyMap<string, string> = new Map([
  ["image/png", "png"],
  ["image/jpeg", "jpg"],
]);

/**
 * Yields the pictures that logos and designs use, each in a file named after its hash.
 * @param onFile called with each file's name.
 */
export async function* writePictureFiles(
  tenant: Tenant,
  onFile: (name: string) => void,
): AsyncGenerator<ZippedFile, void, undefined> {
  const { organizationId } = tenant;
  const pictures = await tenant.read((reader) => reader.listPictures(organizationId), true);
  for (const { hash } of pictures) {
    const picture = await tenant.read((reader) => reader.findPicture(hash), true);
    // The picture's last use was removed in the meantime.
    if (picture === null) continue;
    const name = `pictures/${hash}.${endings.get(picture.type) ?? "bin"}`;
    onFile(name);
    yield { name, content: streamOne(picture.bytes) };
  }
}

async function* streamOne(piece: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield piece;
}
