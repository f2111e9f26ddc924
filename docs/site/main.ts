import { parseArgs } from "node:util";
import { nameTypes } from "../../packaging/named-types.js";
import { build } from "./build.js";

/* Makes the site of the documentation: `npm run docs`, or `npm run docs -- --out folder`. */
const { values } = parseArgs({ options: { out: { type: "string", default: "site" } } });
await nameTypes(".types");
const { pages, bytes } = await build(values.out);
console.log(`${pages} pages in ${values.out}, ${(bytes / 1_000_000).toFixed(1)} MB`);
