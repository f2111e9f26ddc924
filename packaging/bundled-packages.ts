import { existsSync } from "node:fs";
import { appendFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import * as z from "zod";

const packageSchema = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** A package whose code is bundled into the built files, with its license as an SPDX expression. */
export type BundledPackage = Readonly<z.infer<typeof packageSchema>>;

/** The list of bundled packages and their license notices. Each build adds to both files, and both are published. */
const listFile = "dist/bundled-packages.json";
const noticesFile = "dist/THIRD-PARTY.txt";

/** Licenses whose code an MIT-licensed package may include if it also ships their license texts and notices. */
const allowedLicenses = new Set(["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"]);

/**
 * Reads the list of packages that the build bundled into its files.
 * @throws {Error} if there is no list, because nothing has been built yet.
 */
export async function listBundledPackages(folder: string): Promise<readonly BundledPackage[]> {
  const file = join(folder, listFile);
  if (!existsSync(file)) throw new Error(`${listFile} is missing: run npm run build:js`);
  return z.array(packageSchema).parse(JSON.parse(await readFile(file, "utf8")));
}

/**
 * Adds the packages in the given folders to the list of bundled packages, and adds their license texts to the notices that ship
 * with this package.
 * @throws {Error} if a package has no license text, or if its license requires more than including the text.
 */
export function addBundled(folders: Iterable<string>): Promise<void> {
  pendingAdd = pendingAdd.then(() => add(folders));
  return pendingAdd;
}

/** Serializes writes, because several builds run concurrently. */
let pendingAdd: Promise<void> = Promise.resolve();

async function add(folders: Iterable<string>): Promise<void> {
  // In a fresh checkout, the folder doesn't exist yet when the first build gets here.
  await mkdir(dirname(listFile), { recursive: true });
  const listedPackages = existsSync(listFile) ? await listBundledPackages(".") : [];
  const added: BundledPackage[] = [];
  for (const folder of [...folders].sort()) {
    const found = packageSchema.parse(JSON.parse(await readFile(join(folder, "package.json"), "utf8")));
    if ([...listedPackages, ...added].some((each) => getName(each) === getName(found))) continue;
    const choices = found.license.replace(/^\((.+)\)$/, "$1").split(" OR ");
    if (!choices.some((license) => allowedLicenses.has(license))) {
      throw new Error(`${getName(found)} can't be bundled under ${found.license}`);
    }
    await appendFile(
      noticesFile,
      `${getName(found)} (${found.license})\n\n${await readLicense(folder)}\n${RULE}`,
    );
    added.push(found);
  }
  const all = [...listedPackages, ...added].sort((a, b) => (getName(a) < getName(b) ? -1 : 1));
  await writeFile(listFile, `${JSON.stringify(all, null, 2)}\n`);
}

const RULE = `\n${"-".repeat(80)}\n\n`;

function getName({ name, version }: BundledPackage): string {
  return `${name} ${version}`;
}

/** Reads the license of a package from its own files, or from the end of its README. */
async function readLicense(folder: string): Promise<string> {
  const names = await readdir(folder);
  const own = names.filter((name) => /^(licen[cs]e|notice)/i.test(name));
  if (own.length > 0) {
    const texts = await Promise.all(own.sort().map((name) => readFile(join(folder, name), "utf8")));
    return texts.map((text) => text.trim()).join("\n\n");
  }
  const readMe = names.find((name) => /^readme/i.test(name));
  const text = readMe === undefined ? "" : await readFile(join(folder, readMe), "utf8");
  const [, license] = /^#+ *licen[cs]e[^\n]*\n([\s\S]+)$/im.exec(text) ?? [];
  if (license === undefined) throw new Error(`${folder} can't be bundled: it has no license text`);
  return license.trim();
}
