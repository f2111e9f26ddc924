import { LoyaltyService, scopes } from "loyalty-kit";
import { createConsole } from "loyalty-kit/console";
import { bearerTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished } from "vitest";

/** Loads the scripts that a console page names, as the browser of a signed-in person does. */
async function loadScripts(path: string) {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  onTestFinished(() => loyalty.close());
  const api = createHttpApi(loyalty, {
    authenticate: bearerTokens(loyalty),
    extensions: [
      createConsole(loyalty, { signedIn: async () => ({ organizationId: "acme", subject: "ada", scopes }) }),
    ],
  });
  const fetchText = async (url: string) => {
    const response = await api.fetch(new Request(`https://shop.example${url}`));
    expect(response.status).toBe(200);
    return response.text();
  };
  const page = await fetchText(path);
  const scriptTags = [...page.matchAll(/(?:modulepreload" href|type="module" src)="([^"]+)"/g)];
  const urls = scriptTags.flatMap(([, url = ""]) => url);
  expect(new Set(urls).size).toBe(urls.length);
  return new Map(await Promise.all(urls.map(async (url) => [url, await fetchText(url)] as const)));
}

/** Lists the scripts that the given scripts import at start or load on demand, depending on `form`. */
function listImports(scripts: ReadonlyMap<string, string>, form: RegExp): string[] {
  return [...scripts].flatMap(([url, text]) =>
    [...text.matchAll(form)].map(([, name = ""]) => new URL(name, `https://shop.example${url}`).pathname),
  );
}

const immediateImport = /(?:from|import)"(\.\/[^"]+)"/g;
const later = /import\(`(\.\/[^`]+)`\)/g;

describe("a page of the console", () => {
  it.each(["/console", "/console/customers"])(
    "has tags for all scripts that it imports at start: %s",
    async (path) => {
      const scripts = await loadScripts(path);
      const importedScripts = listImports(scripts, immediateImport);
      expect(importedScripts.length).toBeGreaterThan(1);
      expect(importedScripts.filter((url) => !scripts.has(url))).toEqual([]);
    },
  );

  it("has a tag for the script of the overview screen where that is shown, and for no other screen", async () => {
    const listScreens = async (path: string) => {
      const scripts = await loadScripts(path);
      const loadedScripts = listImports(scripts, later).filter((url) => scripts.has(url));
      return [...new Set(loadedScripts)].map((url) => /([a-z-]+-screen)-/.exec(url)?.[1]);
    };
    expect(await listScreens("/console")).toEqual(["overview-screen"]);
    expect(await listScreens("/console/customers")).toEqual([]);
  });
});
