import type { Tenant } from "../tenant/tenant.js";
import { timestamp } from "../values/clock.js";
import { excludedTables } from "./excluded-tables.js";
import { exportKinds } from "./export-kinds.js";
import { type ExportedFile, writeKindFiles } from "./kind-files.js";
import { writePictureFiles } from "./pictures.js";
import { createZip, type ZippedFile } from "./zip.js";

/** Streams an organization's ZIP archive, generating each part only as it is read. */
export async function* createArchive(
  tenant: Tenant,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
  const begunAt = tenant.now();
  yield* createZip(writeArchiveFiles(tenant, begunAt), begunAt);
}

async function* writeArchiveFiles(
  tenant: Tenant,
  begunAt: number,
): AsyncGenerator<ZippedFile, void, undefined> {
  const files: Described[] = [];
  for (const kind of exportKinds) {
    yield* writeKindFiles(kind, tenant, (file) => files.push({ ...file, says: kind.says }));
  }
  const pictures: string[] = [];
  yield* writePictureFiles(tenant, (name) => pictures.push(name));
  const manifest = {
    object: "export",
    organizationId: tenant.organizationId,
    begunAt: timestamp(begunAt),
    endedAt: timestamp(tenant.now()),
    files,
    pictures,
    leftOut: excludedTables,
  };
  yield text("manifest.json", `${JSON.stringify(manifest, null, 2)}\n`);
  yield text("README.txt", readme(manifest));
}

interface Described extends ExportedFile {
  readonly says: string;
}

interface Manifest {
  readonly organizationId: string;
  readonly begunAt: string;
  readonly endedAt: string;
  readonly files: readonly Described[];
  readonly pictures: readonly string[];
}

function text(name: string, content: string): ZippedFile {
  return {
    name,
    content: (async function* () {
      yield Buffer.from(content);
    })(),
  };
}

function readme({ organizationId, begunAt, endedAt, files, pictures }: Manifest): string {
  return [
    `Full export of ${organizationId}, read from ${begunAt} to ${endedAt}.`,
    "",
    ...files.map(({ name, rows, says }) => `${name}: ${rows} ${rows === 1 ? "row" : "rows"}. ${says}`),
    `pictures: ${pictures.length} of logos and designs`,
    "",
    "Open the .csv files in a spreadsheet: UTF-8, comma-separated. Cells that look like formulas begin with an apostrophe.",
    "The .ndjson files are for programs: each line is a JSON object. Field names match the HTTP API.",
    "Changes during the export may appear in one file and not in another.",
    "Passwords, tokens and secrets are not included; manifest.json lists what is left out, and why.",
    "",
  ].join("\r\n");
}
