import { execFileSync } from "node:child_process";
import * as z from "zod";
import manifest from "../../package.json" with { type: "json" };
import { listBundledPackages } from "../../packaging/bundled-packages.js";
import { root } from "./imports.js";

/*
 * Prints a bill of materials in CycloneDX: `npm run sbom`. It contains the packages that are installed with ours, and
 * those whose code is in the built files.
 */
const propertySchema = z.looseObject({ name: z.string() });
const componentSchema = z.looseObject({
  "bom-ref": z.string(),
  name: z.string(),
  version: z.string(),
  properties: z.array(propertySchema),
});
const dependencySchema = z.object({ ref: z.string(), dependsOn: z.array(z.string()) });
const billSchema = z.looseObject({
  metadata: z.looseObject({ component: z.looseObject({ "bom-ref": z.string(), name: z.string() }) }),
  components: z.array(componentSchema),
  dependencies: z.array(dependencySchema),
});

function createBill(...args: readonly string[]) {
  const options = { cwd: root, encoding: "utf8", maxBuffer: 64 * 1_024 * 1_024 } as const;
  return billSchema.parse(
    JSON.parse(execFileSync("npm", ["sbom", "--sbom-format", "cyclonedx", ...args], options)),
  );
}

const bundled = await listBundledPackages(root);
const bill = createBill("--omit", "dev");
const all = createBill();
const added = bundled.map(({ name, version }) => {
  const found = all.components.find((each) => each.name === name && each.version === version);
  if (found === undefined) throw new Error(`${name} ${version} is bundled, but not installed: build anew`);
  const properties = found.properties.filter((each) => each.name !== "cdx:npm:package:development");
  return { ...found, properties: [...properties, { name: "cdx:npm:package:bundled", value: "true" }] };
});
const components = [...bill.components, ...added];
const own = bill.metadata.component["bom-ref"];
const refs = new Set([own, ...components.map((each) => each["bom-ref"])]);
const dependencies = all.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) }));
// npm names it after the folder.
const metadata = { ...bill.metadata, component: { ...bill.metadata.component, name: manifest.name } };
process.stdout.write(`${JSON.stringify({ ...bill, metadata, components, dependencies }, null, 2)}\n`);
