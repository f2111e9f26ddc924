import { LoyaltyService, scopes } from "loyalty-kit";
import { createConsole } from "loyalty-kit/console";
import { bearerTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { describe, expect, it, onTestFinished } from "vitest";

/** Opens a console, and returns functions that send requests with an `Accept-Language` header. */
async function openConsole() {
  const loyalty = new LoyaltyService({ storage: memoryStorage() });
  onTestFinished(() => loyalty.close());
  const api = createHttpApi(loyalty, {
    authenticate: bearerTokens(loyalty),
    extensions: [createConsole(loyalty)],
  });
  const { token } = await loyalty.organization("acme").apiTokens.create({ name: "me", scopes: [...scopes] });
  const fetchPath = (path: string, acceptedLanguages: string | null, init: RequestInit = {}) => {
    const headers = {
      ...(acceptedLanguages !== null && { "accept-language": acceptedLanguages }),
      ...init.headers,
    };
    return api.fetch(new Request(`https://shop.example${path}`, { ...init, headers }));
  };
  const signIn = (token: string, acceptedLanguages: string | null) =>
    fetchPath("/console", acceptedLanguages, {
      method: "POST",
      headers: { "sec-fetch-site": "same-origin" },
      body: new URLSearchParams({ token }),
    });
  return { token, fetchPath, signIn };
}

const german = "de-AT,de;q=0.9,en;q=0.8";

describe("the language of the console", () => {
  it.each([
    [german, "de"],
    ["fr, de;q=0.7", "de"],
    ["en-GB, de;q=0.7", "en"],
    ["de;q=0, fr", "en"],
    ["en;q=0.699999988079071, de;q=0.7", "de"],
    ["fr", "en"],
    [null, "en"],
  ])("for a browser that accepts %s is %s", async (acceptedLanguages, language) => {
    const { fetchPath } = await openConsole();
    const text = await (await fetchPath("/console", acceptedLanguages)).text();
    expect(text).toContain(`<html lang="${language}">`);
    expect(text).toContain(language === "de" ? "<h1>Anmelden</h1>" : "<h1>Sign in</h1>");
  });

  it("applies to the error about an invalid token, too", async () => {
    const { signIn } = await openConsole();
    expect(await (await signIn("wrong", german)).text()).toContain("Dieses API-Token ist ungültig.");
    expect(await (await signIn("wrong", null)).text()).toContain("This API token isn’t valid.");
  });

  it.each([
    [german, "de", "en"],
    ["en", "en", "de"],
  ])(
    "applies to all files of a page: for %s they are built in %s",
    async (acceptedLanguages, language, other) => {
      const { token, fetchPath, signIn } = await openConsole();
      const cookie = (await signIn(token, acceptedLanguages)).headers.get("set-cookie")?.split(";")[0] ?? "";
      for (const path of ["/console", "/console/till", "/console/reference", "/reference"]) {
        const text = await (await fetchPath(path, acceptedLanguages, { headers: { cookie } })).text();
        expect(text).toContain(`<html lang="${language}">`);
        expect(text).not.toContain(`/console/assets/${other}/`);
        const files = [...text.matchAll(/"(\/console\/assets\/[^"]+)"/g)].map(([, file = ""]) => file);
        expect(files.length).toBeGreaterThanOrEqual(2);
        for (const file of files) expect((await fetchPath(file, acceptedLanguages)).status).toBe(200);
      }
    },
  );

  it("of the till's offline files is the one in the query of the till's page", async () => {
    const { fetchPath } = await openConsole();
    const readLanguage = async (path: string) =>
      (await (await fetchPath(path, german)).text()).split("\n")[0];
    expect(await readLanguage("/console/till-worker.js?language=de")).toContain("/console/assets/de/main-");
    expect(await readLanguage("/console/till-worker.js?language=de")).not.toContain("/console/assets/en/");
    expect(await readLanguage("/console/till-worker.js")).toContain("/console/assets/en/main-");
    expect(await readLanguage("/console/till-worker.js?language=fr")).toContain("/console/assets/en/main-");
  });

  it("applies to the name under which a phone installs the till", async () => {
    const { fetchPath } = await openConsole();
    const readManifest = async (acceptedLanguages: string | null) =>
      (await fetchPath("/console/manifest.webmanifest", acceptedLanguages)).json();
    expect(await readManifest(german)).toMatchObject({ lang: "de", short_name: "Kasse" });
    expect(await readManifest(null)).toMatchObject({ lang: "en", short_name: "Till" });
  });

  it("is a fixed part of asset paths: other languages and path traversals give 404", async () => {
    const { fetchPath } = await openConsole();
    for (const path of ["fr/main.js", "en/..%2fde%2fmain.js", "main.js", "de/", "__proto__/main.js"]) {
      expect((await fetchPath(`/console/assets/${path}`, german)).status).toBe(404);
    }
  });
});
