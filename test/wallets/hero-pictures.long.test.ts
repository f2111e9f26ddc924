import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { memoryStorage } from "loyalty-kit/memory";
import type { StampRenderer } from "loyalty-kit/wallets";
import { describe, expect, it } from "vitest";
import { createDrawingCache } from "../../adapters/delivery/wallets/drawing.js";
import { HeroPictures } from "../../adapters/delivery/wallets/hero-pictures.js";
import { DRAWING_VERSION, StampDrawer } from "../../adapters/delivery/wallets/stamp-drawing/stamp-drawer.js";
import { shortenTimers } from "../kit/hurried-timers.js";
import { decodePixels } from "./drawing/pixels.js";
import { findNoPicture } from "./drawing/some-look.js";
import { openGoogle, PUBLIC_URL } from "./google/google-scene.js";

const root = `${PUBLIC_URL}/wallets/heroes`;
const drawer = new StampDrawer();
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
const findOrganization = async () => "acme";
const drawings = createDrawingCache(drawer, () => {});
const options = {
  ...{ root, key: privateKey, version: DRAWING_VERSION, drawings, pictures: findNoPicture, findOrganization },
};
const template = { id: "tpl_1", design: null };

/** Opens a service with Google Wallet, and a builder of the URLs that it accepts. */
async function openPictures(stampRenderer: StampRenderer | null = drawer) {
  const { googleOptions, api } = await openGoogle(memoryStorage(), { stampRenderer: stampRenderer });
  const { private_key: key } = JSON.parse(googleOptions.serviceAccount);
  const heroes = new HeroPictures({ ...options, key: createPrivateKey(key) });
  const callApi = (url: string, method = "GET") => api.fetch(new Request(url, { method }));
  return { heroes, call: callApi };
}

describe("drawn stamps at a URL", () => {
  it("are a picture for Google's Wallet, which anyone may cache forever", async () => {
    const { heroes, call } = await openPictures();
    const answer = await call(heroes.buildUrl(template, 3, 10));
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "image/png",
      "cache-control": "public, max-age=31536000, immutable",
      "x-content-type-options": "nosniff",
    });
    const { width, height } = decodePixels(new Uint8Array(await answer.arrayBuffer()));
    expect([width, height]).toEqual([1_032, 336]);
  });

  it("have one URL for each state of a template, the same in every process", () => {
    const heroes = new HeroPictures(options);
    const urls = [
      heroes.buildUrl(template, 3, 10),
      heroes.buildUrl(template, 4, 10),
      heroes.buildUrl(template, 3, 12),
      heroes.buildUrl({ ...template, id: "tpl_2" }, 3, 10),
      new HeroPictures({ ...options, version: DRAWING_VERSION + 1 }).buildUrl(template, 3, 10),
    ];
    expect(new Set(urls).size).toBe(urls.length);
    expect(new HeroPictures(options).buildUrl(template, 3, 10)).toBe(urls[0]);
    expect(Math.max(...urls.map(({ length }) => length))).toBeLessThan(500);
  });

  it("aren't drawn for a made-up URL", async () => {
    const { heroes, call } = await openPictures();
    const [real, strangers] = [heroes, new HeroPictures(options)].map((each) =>
      each.buildUrl(template, 3, 10),
    );
    const encodedState = Buffer.from('{"filled":1,"total":100}').toString("base64url");
    const signed = real?.slice(0, real.lastIndexOf("/"));
    const getStatus = async (url = "", method = "GET") => (await call(url, method)).status;
    expect(await getStatus(strangers)).toBe(404);
    expect(await getStatus(`${signed}/${encodedState}.png`)).toBe(404);
    expect(await getStatus(signed)).toBe(404);
    expect(await getStatus(`${real}/more`)).toBe(404);
    expect(await getStatus(real, "POST")).toBe(405);
    expect(await getStatus(real, "HEAD")).toBe(200);
  });

  // A request that isn't refused immediately is refused after ten seconds.
  shortenTimers(10_000);

  it("are refused for a while when too many requests wait, and aren't found when nothing draws", async () => {
    const nothing = await openPictures(null);
    expect((await nothing.call(nothing.heroes.buildUrl(template, 3, 10))).status).toBe(404);
    const neverResolve = () => new Promise<Uint8Array>(() => {});
    const { heroes, call } = await openPictures({ strip: neverResolve, hero: neverResolve });
    for (let at = 0; at < 201; at += 1) void call(heroes.buildUrl(template, at % 100, 100 + at));
    const answer = await call(heroes.buildUrl(template, 3, 10));
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
  });
});
