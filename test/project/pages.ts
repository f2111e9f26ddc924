import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./imports.js";

/** Every page that a reader may copy from. */
export const pages = ["README.md", ...readdirSync(join(root, "docs")).map((file) => `docs/${file}`)].filter(
  (file) => file.endsWith(".md"),
);

export function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}
