import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./imports.js";

const listMarkdown = (folder: string) =>
  readdirSync(join(root, folder)).flatMap((file) => (file.endsWith(".md") ? [`${folder}/${file}`] : []));

/** The pages for users of the product. */
export const usersPages = ["README.md", ...listMarkdown("docs")];

/** Every page that a reader may copy from. */
export const pages = [...usersPages, ...listMarkdown("docs/contributing")];

export function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}
