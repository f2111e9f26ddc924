import { createHash, generateKeyPairSync } from "node:crypto";
import { apiTokens, createHttpApi } from "loyalty-kit/http";
import { memoryStorage } from "loyalty-kit/memory";
import { createWallets } from "loyalty-kit/wallets";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { loadAppleIdentity } from "../../../adapters/delivery/wallets/apple/identity.js";
import { PassCache } from "../../../adapters/delivery/wallets/apple/pass-cache.js";
import { serviceInternals } from "../../../src/internals.js";
import { ManualClock } from "../../kit/manual-clock.js";
import { appleOptions, openWallets, pki } from "./wallets-scene.js";

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const ecKey = privateKey.export({ type: "pkcs8", format: "pem" }).toString();

const createDesign = (logo: string) => ({
  ...{ backgroundColor: "#000000", foregroundColor: "#FFFFFF", labelColor: "#FFFFFF" },
  ...{ logo, icon: null, strip: null, texts: [], links: [], locations: [], expiresAt: null },
  stamps: { shape: "CIRCLE", filled: null, empty: null } as const,
});

async function openWithPhone() {
  const shop = await openWallets(memoryStorage());
  const { id, url } = await shop.newPass();
  const phone = shop.newPhone();
  const { pass } = await phone.add(url);
  const authorization = `ApplePass ${pass.authenticationToken}`;
  const registration = `/apple/v1/devices/other/registrations/${pki.passTypeId}/${id}`;
  const register = (body: string, headers: Record<string, string> = { authorization }) =>
    shop.call("POST", registration, { body, headers: { "content-type": "application/json", ...headers } });
  return { ...shop, id, url, phone, authorization, registration, register };
}

const pushToken = JSON.stringify({ pushToken: "0a1b2c" });

describe("the web service for Apple's Wallet", () => {
  it("answers 201 to a new registration, 200 to an existing one, and 401 without a valid token", async () => {
    const { register, registration, call, authorization } = await openWithPhone();
    const statuses = [
      await register(pushToken),
      await register(pushToken),
      await register(JSON.stringify({ pushToken: "another" })),
      await register(pushToken, {}),
      await register(pushToken, { authorization: "ApplePass wrong" }),
      await register(pushToken, { authorization: authorization.replace("ApplePass", "Bearer") }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([201, 200, 200, 401, 401, 401]);
    expect((await call("DELETE", registration)).status).toBe(401);
    const removeRegistration = () => call("DELETE", registration, { headers: { authorization } });
    expect([(await removeRegistration()).status, (await removeRegistration()).status]).toEqual([200, 200]);
  });

  it("lists a device's changed passes by a tag that is a string, without authentication", async () => {
    const { call, acme, id, wallets, phone } = await openWithPhone();
    const list = `/apple/v1/devices/${phone.deviceId}/registrations/${pki.passTypeId}`;
    const first = await call("GET", list);
    const { serialNumbers, lastUpdated } = JSON.parse(await first.text());
    expect([first.status, serialNumbers, typeof lastUpdated]).toEqual([200, [id], "string"]);
    const since = `${list}?passesUpdatedSince=${encodeURIComponent(lastUpdated)}`;
    expect((await call("GET", since)).status).toBe(204);
    await acme.stamps.add(id);
    await wallets.runOnce();
    expect((await call("GET", since)).status).toBe(200);
    expect((await call("GET", list.replace(phone.deviceId, "unknown"))).status).toBe(204);
    expect((await call("GET", `${list}?passesUpdatedSince=%00`)).status).toBe(200);
  });

  it("returns a pass that was modified since, and 304 otherwise", async () => {
    const { call, acme, id, wallets, authorization } = await openWithPhone();
    const path = `/apple/v1/passes/${pki.passTypeId}/${id}`;
    const get = (headers: Record<string, string>) => call("GET", path, { headers });
    const first = await get({ authorization });
    const lastModified = first.headers.get("last-modified") ?? "";
    expect(first.status).toBe(200);
    expect(first.headers.get("content-type")).toBe("application/vnd.apple.pkpass");
    const since = { authorization, "if-modified-since": lastModified };
    expect((await get(since)).status).toBe(304);
    await acme.stamps.add(id);
    await wallets.runOnce();
    const second = await get(since);
    expect(second.status).toBe(200);
    expect(Date.parse(second.headers.get("last-modified") ?? "")).toBeGreaterThanOrEqual(
      Date.parse(lastModified) + 1_000,
    );
    expect((await get({ "if-modified-since": lastModified })).status).toBe(401);
    expect((await get({ authorization: "ApplePass wrong" })).status).toBe(401);
  });

  it("returns nothing for the token of another pass, of this organization or another", async () => {
    const { call, loyalty, id, newPass, newPhone, authorization } = await openWithPhone();
    const other = await newPass();
    await newPhone("second").add(other.url);
    const globex = loyalty.organization("globex");
    const tea = await globex.templates.create({ name: "Tea", type: "STAMP_CARD", maxStamps: 3 });
    const theirs = await globex.passes.create(tea.id, { user: { email: "eve@example.com" } });
    await globex.passes.walletLinks(theirs.id);
    for (const serial of [other.id, theirs.id, "wp_unknown", `${id}%00`]) {
      const answer = await call("GET", `/apple/v1/passes/${pki.passTypeId}/${serial}`, {
        headers: { authorization },
      });
      expect([answer.status, await answer.json()]).toEqual([401, { code: "unauthorized", params: null }]);
    }
  });

  it.each<[string, string, string, number]>([
    ["an unknown path", "GET", "/apple/v1/nothing", 404],
    ["another pass type", "GET", "/apple/v1/passes/pass.other/wp_1", 404],
    ["another method", "PUT", "/apple/v1/log", 405],
    ["a malformed path", "GET", "/apple/%ff", 400],
    ["an invalid pass link", "GET", "/apple/passes/wp_1/none.pkpass", 404],
    ["a picture path without a hash", "GET", "/images/none", 404],
    ["an unknown picture", "GET", `/images/${"0".repeat(64)}`, 404],
  ])("answers %s with an error", async (_, method, path, status) => {
    const { call } = await openWallets(memoryStorage());
    const answer = await call(method, path);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ code: expect.any(String), params: null });
  });

  it("refuses an invalid registration", async () => {
    const { register, authorization, call, registration } = await openWithPhone();
    for (const body of ["", "[]", "{}", '{"pushToken":5}', '{"pushToken":"a b"}']) {
      expect((await register(body)).status).toBe(400);
    }
    expect((await register(`"${"x".repeat(10_000)}"`)).status).toBe(413);
    const oddDevice = registration.replace("other", "x".repeat(200));
    const answer = await call("POST", oddDevice, { body: pushToken, headers: { authorization } });
    expect(answer.status).toBe(404);
  });

  it("limits how many devices a pass may have", async () => {
    const { call, registration, authorization } = await openWithPhone();
    const statuses: number[] = [];
    for (let at = 0; at < 51; at += 1) {
      const path = registration.replace("other", `device-${at}`);
      statuses.push((await call("POST", path, { body: pushToken, headers: { authorization } })).status);
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(49);
    expect(statuses.at(-1)).toBe(429);
  });

  it("limits registrations of one pass per minute and per day, without limiting other passes", async () => {
    const { call, registration, authorization, clock, newPass, newPhone, acme, id } = await openWithPhone();
    const listStatuses = async (count: number) => {
      const statuses = [];
      for (let at = 0; at < count; at += 1) {
        const method = at % 2 === 0 ? "POST" : "DELETE";
        const body = method === "POST" ? pushToken : null;
        const answer = await call(method, registration, { body, headers: { authorization } });
        statuses.push(answer.status);
        if (answer.status === 429) expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      }
      return { taken: statuses.filter((status) => status < 300).length, refused: statuses.at(-1) };
    };
    expect(await listStatuses(150)).toEqual({ taken: 99, refused: 429 });
    await newPhone("second").add((await newPass()).url);
    let acceptedCount = 99;
    for (let minute = 1; minute < 15; minute += 1) {
      clock.move(60_000);
      acceptedCount += (await listStatuses(101)).taken;
    }
    expect(acceptedCount).toBe(999);
    clock.move(86_400_000);
    expect((await listStatuses(2)).taken).toBe(2);
    expect((await acme.passes.get(id)).installationStatus).toBe("INSTALLED");
  });

  it("signs a pass once for all concurrent requests of its link, and doesn't sign it for a HEAD", async () => {
    const drawSpy = vi.fn(async () => null);
    const stampRenderer = { strip: drawSpy, hero: drawSpy };
    const { newPass, api, acme } = await openWallets(memoryStorage(), { stampRenderer });
    const { id, url } = await newPass();
    const head = await api.fetch(new Request(url, { method: "HEAD" }));
    expect([head.status, head.headers.get("content-type")]).toEqual([200, "application/vnd.apple.pkpass"]);
    expect(drawSpy).not.toHaveBeenCalled();
    const follow = async () => {
      const answers = await Promise.all(Array.from({ length: 200 }, () => api.fetch(new Request(url))));
      const bodies = await Promise.all(answers.map((answer) => answer.arrayBuffer()));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      return new Set(bodies.map((body) => createHash("sha256").update(Buffer.from(body)).digest("hex")));
    };
    const first = await follow();
    // One for each of three scales.
    expect([first.size, drawSpy.mock.calls.length]).toEqual([1, 3]);
    await acme.stamps.add(id);
    const second = await follow();
    expect([second.size, drawSpy.mock.calls.length]).toEqual([1, 6]);
    expect(second).not.toEqual(first);
  });

  it("builds 2 passes of an organization at the same time, without delaying other organizations", async () => {
    let release = () => {};
    const slow = new Promise<null>((resolve) => {
      release = () => resolve(null);
    });
    const pictures = vi.fn((hash: string) => (hash === "slow" ? slow : Promise.resolve(null)));
    const press = new PassCache(
      {
        identity: loadAppleIdentity(appleOptions),
        webServiceUrl: "https://shop.example",
        pictures,
        drawings: null,
      },
      () => new ManualClock().now,
    );
    const { newPass, loyalty } = await openWallets(memoryStorage());
    const issuedCard = await serviceInternals(loyalty)
      .createWalletBackend(0)
      .card((await newPass()).id);
    if (issuedCard?.template == null) throw new Error("there is no card");
    const { template } = issuedCard;
    const getPass = (organizationId: string, serial: number, logo: string) =>
      press.getOrSign({
        ...issuedCard,
        organizationId,
        card: { ...issuedCard.card, passId: `wp_${serial}` },
        template: { ...template, design: { ...createDesign(logo) } },
      });
    const works = Array.from({ length: 10 }, (_, at) => getPass("acme", at, "slow"));
    await expect.poll(() => pictures.mock.calls.length).toBe(2);
    expect((await getPass("globex", 1, "quick")).byteLength).toBeGreaterThan(0);
    expect(pictures.mock.calls.filter(([hash]) => hash === "slow")).toHaveLength(2);
    release();
    expect(await Promise.all(works)).toHaveLength(10);
  });

  it.each<[string, object, number]>([
    ["has expired", pki.expired, 0],
    ["was issued by another authority", pki.foreign, 0],
    ["doesn't match the key", { key: pki.foreign.key }, 0],
    ["has a key of another type", { key: ecKey }, 0],
    ["isn't valid yet", {}, -500],
    ["has an expired intermediate certificate", {}, 500],
  ])(
    "answers links and phones with 503 while the certificate %s, and still accepts registrations",
    async (_, fields, days) => {
      const good = await openWallets(memoryStorage());
      const { id, url } = await good.newPass();
      const phone = good.newPhone();
      const { pass } = await phone.add(url);
      await good.wallets.close();
      const wallets = createWallets(good.loyalty, {
        publicUrl: "https://shop.example/loyalty",
        apple: { ...appleOptions, ...fields },
        ...{ deliver: false, stampRenderer: null, onError: (error: unknown) => good.errors.push(error) },
      });
      onTestFinished(() => wallets.close());
      const api = createHttpApi(good.loyalty, {
        authenticate: apiTokens(good.loyalty),
        basePath: "/loyalty",
        extensions: [wallets.http],
      });
      good.clock.move(days * 86_400_000);
      const authorization = `ApplePass ${pass.authenticationToken}`;
      const urlOfPath = (path: string) => `${url.slice(0, url.indexOf("/passes/"))}/v1/${path}`;
      const requests = [
        new Request(url),
        new Request(url, { method: "HEAD" }),
        new Request(urlOfPath(`passes/${pki.passTypeId}/${id}`), { headers: { authorization } }),
      ];
      for (const request of requests) {
        const answer = await api.fetch(request);
        expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "3600"]);
        if (request.method === "GET") {
          expect(await answer.json()).toEqual({ code: "storage_unavailable", params: null });
        }
      }
      const registration = urlOfPath(`devices/other/registrations/${pki.passTypeId}/${id}`);
      const registered = await api.fetch(
        new Request(registration, { method: "POST", headers: { authorization }, body: pushToken }),
      );
      expect(registered.status).toBe(201);
      expect((await api.fetch(new Request(url.replace(/\w{32}/, "0".repeat(32))))).status).toBe(404);
      expect(good.errors).toEqual([]);
    },
  );

  it("accepts logs, within limits and without their secrets", async () => {
    const lines: string[] = [];
    const { call, clock } = await openWallets(memoryStorage(), { onDeviceLog: (line) => lines.push(line) });
    const postLog = (body: string) => call("POST", "/apple/v1/log", { body });
    const secret = "q".repeat(32);
    expect(
      (await postLog(JSON.stringify({ logs: [`bad\u001b token ${secret}`, 5, "x".repeat(900)] }))).status,
    ).toBe(200);
    expect(lines).toEqual(["bad  token …", "…"]);
    lines.length = 0;
    const odd = [
      "\u0000",
      "\r\n",
      "\u001b[2J",
      "\u007f",
      "\u009b2J",
      "\u2028",
      "\u2029",
      "\u202e",
      "\u2066",
      "\u200f",
    ];
    await postLog(JSON.stringify({ logs: odd.map((text) => `a${text}b`) }));
    for (const line of lines) expect(line).toMatch(/^a {1,2}(?:\[?2J)?b$/);
    expect(lines).toHaveLength(odd.length);
    lines.length = 0;
    expect((await postLog("x".repeat(1_048_576))).status).toBe(413);
    expect((await postLog("no json")).status).toBe(400);
    for (let at = 0; at < 100; at += 1) await postLog('{"logs":["again"]}');
    expect(lines.length).toBeLessThan(70);
    for (let minute = 0; minute < 30; minute += 1) {
      clock.move(60_000);
      for (let at = 0; at < 60; at += 1) await postLog('{"logs":["again"]}');
    }
    expect(lines.length).toBeLessThanOrEqual(1_001);
  });

  it("serves pictures unchanged, to be cached forever", async () => {
    const { call, acme, template } = await openWallets(memoryStorage());
    const { design } = await acme.templates.update(template.id, {
      design: {
        icon: "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      },
    });
    const answer = await call("GET", `/images/${design?.icon}`);
    expect(answer.headers.get("content-type")).toBe("image/png");
    expect(answer.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect((await answer.arrayBuffer()).byteLength).toBe(70);
  });

  it("can be created only once for a service, and its links end when it is closed", async () => {
    const { loyalty, wallets, acme, id } = await openWithPhone();
    expect(() => createWallets(loyalty, { publicUrl: "https://shop.example" })).toThrow(
      "wallets are already",
    );
    await wallets.close();
    expect((await acme.passes.walletLinks(id)).apple).toBeNull();
  });
});
