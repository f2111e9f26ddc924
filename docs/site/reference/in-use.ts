import { type Listed, readContents } from "../contents.js";
import { read } from "../files.js";

const MOST_PAGES = 3;

const imports = readContents()
  .flatMap(({ pages }) => pages)
  .flatMap((page) => {
    const code = read(page.file).matchAll(/^import (?:type )?\{([^}]+)\} from "([^"]+)";$/gm);
    return [...code].map(([, names = "", from = ""]) => ({
      page,
      from,
      names: names.split(",").map((name) => name.trim().replace(/^type /, "")),
    }));
  });

/** The pages whose code imports a name from an entry point, the first few. */
export function findImportingPages(name: string, specifier: string): readonly Listed[] {
  const pages = imports.filter(({ from, names }) => from === specifier && names.includes(name));
  return [...new Set(pages.map(({ page }) => page))].slice(0, MOST_PAGES);
}
