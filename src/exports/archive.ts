import { timestamp } from "../base/values/clock.js";
import type { Tenant } from "../kernel/tenant.js";
import { exportKinds } from "./export-kinds.js";
import { type ExportedFile, writeKindFiles } from "./kind-files.js";
import { createZip, type ZippedFile } from "./zip.js";

/** Streams a ZIP archive of everything that an organization can export. Each part is generated only as it is read. */
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

interface LeftOut {
  readonly tables: readonly string[];
  readonly because: string;
}

/** The tables that exports leave out, grouped by reason. The archive's manifest includes this list. */
export const excludedTables: readonly LeftOut[] = [
  { tables: ["grantTokens"], because: "the tokens of apps are secrets" },
  {
    tables: ["idempotencyRecords"],
    because: "saved responses for idempotency keys are encrypted and expire within hours",
  },
  {
    tables: ["walletCards", "mailQueues"],
    because: "the keys of wallets and mail links are secrets",
  },
  {
    tables: [
      "organizations",
      "segmentSets",
      "segmentChunks",
      "segmentSlices",
      "messageAudiences",
      "automationCompletions",
    ],
    because: "it is derived from other data",
  },
  {
    tables: [
      "cooldowns",
      "walletQueues",
      "walletDeliveries",
      "mailJobs",
      "messageQueues",
      "messageJobs",
      "automationQueues",
      "segmentFollowers",
      "silentChanges",
      "tagRemovals",
      "automationJobs",
    ],
    because: "pending work of this service",
  },
  { tables: ["automationVersions"], because: "earlier versions of automations are kept only for their runs" },
];

const endings: ReadonlyMap<string, string> = new Map([
  ["image/png", "png"],
  ["image/jpeg", "jpg"],
]);

/**
 * Yields the pictures that logos and designs use, each in a file named after its hash.
 * @param onFile called with each file's name.
 */
async function* writePictureFiles(
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
