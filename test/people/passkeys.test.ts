import { readFileSync } from "node:fs";
import { LoyaltyService } from "loyalty-kit";
import { createConsole } from "loyalty-kit/console";
import { memoryStorage } from "loyalty-kit/memory";
import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it, vi } from "vitest";
import { Authenticator, encodeCborBytes } from "../kit/authenticator.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { ORIGIN, openPasskeyShop } from "./passkey-scene.js";
import { openShop } from "./scene.js";

describe("a passkey", () => {
  it("is created by a device that can find it without a user name and that verifies its user", async () => {
    const { acme, person, requestOptions } = openPasskeyShop();
    await acme.settings.update({ name: "Café Luise" });
    const { id, cookie } = await person("ada@example.com");
    expect(await requestOptions("/me/passkeys/options", cookie)).toMatchObject({
      rp: { id: "shop.example", name: "Café Luise" },
      user: { id: Buffer.from(id).toString("base64url"), name: "ada@example.com" },
      authenticatorSelection: { residentKey: "required", userVerification: "required" },
      attestation: "none",
      excludeCredentials: [],
    });
  });

  it("is labeled on the device with only the host and its user if the shop has no acceptable name", async () => {
    const { loyalty, person, requestOptions } = openPasskeyShop();
    const { cookie } = await person("ada@example.com", "till", loyalty.organization("evil.example"));
    expect(await requestOptions("/me/passkeys/options", cookie)).toMatchObject({
      rp: { name: "shop.example" },
      user: { displayName: "ada@example.com" },
    });
  });

  it("is listed with its name and last use, recorded in the audit trail, and removed", async () => {
    const {
      acme,
      clock,
      createPersonWithPasskey,
      signInWith,
      getAccount,
      callConsole,
      getCookie,
      requestOptions,
    } = openPasskeyShop();
    const { id, cookie, authenticator } = await createPersonWithPasskey("ada@example.com", "owner");
    const [added] = (await getAccount(cookie)).passkeys;
    expect(added).toEqual({
      ...{ id: expect.stringMatching(/^pky_/), object: "passkey", name: "Phone" },
      ...{ createdAt: new Date(clock.read()).toISOString(), lastUsedAt: null },
    });
    const { excludeCredentials } = await requestOptions("/me/passkeys/options", cookie);
    expect(excludeCredentials).toEqual([{ id: authenticator.credentialId, type: "public-key" }]);
    clock.move(60_000);
    const second = getCookie(await signInWith(authenticator));
    expect((await getAccount(second)).passkeys).toEqual([
      { ...added, lastUsedAt: new Date(clock.read()).toISOString() },
    ]);
    const removal = await callConsole(second, `/people/me/passkeys/${added?.id}`, { method: "DELETE" });
    expect(removal.status).toBe(204);
    expect((await getAccount(cookie)).passkeys).toEqual([]);
    expect((await signInWith(authenticator)).status).toBe(401);
    expect((await callConsole(cookie, "/people/me/passkeys/none", { method: "DELETE" })).status).toBe(404);
    const passkeyId = added?.id;
    const [byLink, byPasskey] = (await getAccount(second)).sessions.map((session) => session.id);
    expect((await acme.audit.list()).content.slice(1)).toMatchObject(
      [
        ["session.started", { by: "link", sessionId: byLink }],
        ["passkey.added", { passkeyId }],
        ["session.started", { by: "passkey", sessionId: byPasskey }],
        ["passkey.removed", { passkeyId }],
      ].map(([action, details]) => ({ action, target: id, details, actor: { kind: "console", id } })),
    );
  });

  it("begins a session as a link does: for the chosen time, replacing the browser's previous session", async () => {
    const { acme, createPersonWithPasskey, signInWith, getCookie, callApi, fetch } = openPasskeyShop();
    const { id, cookie, authenticator } = await createPersonWithPasskey("ada@example.com", "owner");
    const { path } = await acme.people.link(id);
    const answer = await signInWith(authenticator, {}, { stay: true, cookie });
    expect([answer.status, answer.headers.get("set-cookie")]).toEqual([
      204,
      expect.stringMatching(
        /^__Host-loyalty-kit-console=[\w.-]+; Path=\/; Secure; Max-Age=2592000; HttpOnly; SameSite=Strict$/,
      ),
    ]);
    expect((await callApi(getCookie(answer), "/v1/people")).status).toBe(200);
    expect((await callApi(cookie, "/v1/people")).status).toBe(401);
    expect(await acme.people.sessions(id)).toHaveLength(1);
    expect(await acme.people.get(id)).toMatchObject({ status: "ACTIVE" });
    const short = await signInWith(authenticator);
    expect(short.headers.get("set-cookie")).toContain("Max-Age=43200");
    expect((await fetch(path)).status).toBe(410);
  });

  it("can be added within 15 minutes of any sign-in, and not in an older session", async () => {
    const {
      clock,
      createPersonWithPasskey,
      person,
      requestOptions,
      send,
      addWith,
      signInWith,
      getCookie,
      getAccount,
    } = openPasskeyShop();
    const { cookie } = await person("ada@example.com");
    clock.move(15 * 60_000);
    const options = await requestOptions("/me/passkeys/options", cookie);
    clock.move(1);
    const body = { name: "Phone", credential: new Authenticator(ORIGIN).create(options) };
    for (const [path, requestBody] of [
      ["/me/passkeys", body],
      ["/me/passkeys/options", { name: "Phone" }],
    ] as const) {
      const response = await send(path, requestBody, { cookie });
      expect([response.status, await response.json()], path).toEqual([
        403,
        expect.objectContaining({ code: "recent_sign_in_required" }),
      ]);
    }
    expect((await getAccount(cookie)).passkeys).toEqual([]);
    const { authenticator } = await createPersonWithPasskey("bob@example.com");
    clock.move(3_600_000);
    const again = getCookie(await signInWith(authenticator));
    expect((await addWith(again, new Authenticator(ORIGIN))).status).toBe(200);
  });

  it("is announced to its person by mail, at most five times an hour, without its name", async () => {
    const { acme, mails, createPersonWithPasskey, addWith, callConsole, getFirstPasskeyId } =
      openPasskeyShop();
    await acme.settings.update({ name: "Café Luise", language: "de" });
    const { cookie } = await createPersonWithPasskey("ada@example.com");
    await expect.poll(() => mails.length).toBe(1);
    const subject = expect.stringMatching(/^Ein neuer Passkey für .*Café Luise/);
    expect(mails[0]).toMatchObject({ to: "ada@example.com", subject, language: "de" });
    expect(mails[0]?.text).toContain("https://shop.example/console\n");
    expect(mails[0]?.text).not.toContain("Phone");
    for (let at = 0; at < 6; at += 1) {
      await callConsole(cookie, `/people/me/passkeys/${await getFirstPasskeyId(cookie)}`, {
        method: "DELETE",
      });
      expect((await addWith(cookie, new Authenticator(ORIGIN))).status).toBe(200);
    }
    await acme.people.invite({ email: "bob@example.com", role: "till" });
    await expect.poll(() => mails.at(-1)?.to).toBe("bob@example.com");
    expect(mails.filter(({ to }) => to === "ada@example.com")).toHaveLength(5);
  });

  it("isn't announced to an address that has got as many invitations as allowed", async () => {
    const { loyalty, mails, person, addWith } = openPasskeyShop();
    const { id, cookie } = await person("eve@example.com");
    for (let shop = 0; shop < 10; shop += 1)
      await loyalty.organization(`shop ${shop}`).people.invite({ email: "eve@example.com", role: "till" });
    await expect.poll(() => mails.length).toBe(10);
    expect((await addWith(cookie, new Authenticator(ORIGIN))).status).toBe(200);
    await loyalty.organization("globex").people.invite({ email: "bob@example.com", role: "till" });
    await expect.poll(() => mails.length).toBe(11);
    expect([id, mails.at(-1)?.to]).toEqual([expect.any(String), "bob@example.com"]);
  });

  it.each(["the person", "a staff manager"])(
    "can't be used to sign in after %s has ended all sessions",
    async (who) => {
      const { acme, createPersonWithPasskey, post, signInWith, getAccount, person } = openPasskeyShop();
      const { id, cookie, authenticator } = await createPersonWithPasskey("ada@example.com");
      const bob = await createPersonWithPasskey("bob@example.com");
      if (who === "the person") await post("/console/sign-out/everywhere", {}, { cookie });
      else await acme.people.endSessions(id);
      expect((await signInWith(authenticator)).status).toBe(401);
      expect((await acme.audit.list()).content.at(-1)).toMatchObject({
        ...{ action: "session.ended", target: id, details: { sessions: 1, passkeys: 1 } },
      });
      expect((await getAccount(bob.cookie)).passkeys).toHaveLength(1);
      expect((await getAccount((await person("eve@example.com")).cookie)).passkeys).toEqual([]);
    },
  );

  it("remains when its person signs out or ends one session", async () => {
    const { createPersonWithPasskey, post, signInWith, getCookie, getAccount, callConsole } =
      openPasskeyShop();
    const { cookie, authenticator } = await createPersonWithPasskey("ada@example.com");
    await post("/console/sign-out", {}, { cookie });
    const other = getCookie(await signInWith(authenticator));
    const third = getCookie(await signInWith(authenticator));
    const [first] = (await getAccount(third)).sessions;
    await callConsole(third, `/people/me/sessions/${first?.id}`, { method: "DELETE" });
    expect((await callConsole(other, "/people/me")).status).toBe(401);
    expect((await signInWith(authenticator)).status).toBe(204);
  });

  it("can't be added by a person who has ten", async () => {
    const { person, addWith, getAccount, send, callConsole } = openPasskeyShop();
    const { cookie } = await person("ada@example.com");
    for (let at = 0; at < 10; at += 1)
      expect((await addWith(cookie, new Authenticator(ORIGIN), `Phone ${at}`)).status).toBe(200);
    const response = await send("/me/passkeys/options", { name: "Phone" }, { cookie });
    expect([response.status, await response.json()]).toEqual([
      409,
      expect.objectContaining({ code: "too_many_passkeys" }),
    ]);
    const { passkeys } = await getAccount(cookie);
    expect(passkeys).toHaveLength(10);
    await callConsole(cookie, `/people/me/passkeys/${passkeys[0]?.id}`, { method: "DELETE" });
    expect((await addWith(cookie, new Authenticator(ORIGIN))).status).toBe(200);
  });

  it("can't be added beyond ten by concurrent calls either", async () => {
    const { person, requestOptions, send, getAccount } = openPasskeyShop();
    const { cookie } = await person("ada@example.com");
    const challenges = [];
    for (let at = 0; at < 12; at += 1) challenges.push(await requestOptions("/me/passkeys/options", cookie));
    const added = challenges.map((options) =>
      send("/me/passkeys", { name: "P", credential: new Authenticator(ORIGIN).create(options) }, { cookie }),
    );
    const statuses = (await Promise.all(added)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 409)).toHaveLength(2);
    expect((await getAccount(cookie)).passkeys).toHaveLength(10);
  });

  it("is deleted with its person, and so are the sessions that it began", async () => {
    const { acme, createPersonWithPasskey, signInWith, getCookie, callApi } = openPasskeyShop();
    const { id, authenticator } = await createPersonWithPasskey("ada@example.com");
    const cookie = getCookie(await signInWith(authenticator));
    await acme.people.delete(id);
    expect((await callApi(cookie, "/v1/contacts")).status).toBe(401);
    expect((await signInWith(authenticator)).status).toBe(401);
    await acme.people.add({ email: "ada@example.com", role: "owner" });
    expect((await signInWith(authenticator)).status).toBe(401);
  });

  it("has a name of 1 to 60 characters on one line", async () => {
    const { person, addWith, send } = openPasskeyShop();
    const { cookie } = await person("ada@example.com");
    for (const name of ["", " ", "x".repeat(61), "a\nb"]) {
      expect((await send("/me/passkeys/options", { name }, { cookie })).status).toBe(422);
      expect((await addWith(cookie, new Authenticator(ORIGIN), name)).status).toBe(422);
    }
  });

  it("signs in at every process that has the same key", async () => {
    const file = await createTemporaryFile();
    const key = "k".repeat(32);
    const one = openPasskeyShop(await sqliteStorage(file), { key });
    const other = openPasskeyShop(await sqliteStorage(file), { key });
    const { authenticator } = await one.createPersonWithPasskey("ada@example.com");
    const credential = authenticator.get(await one.requestOptions("/passkey/options"));
    const signInAgain = () => other.send("/passkey", { stay: false, credential });
    expect([(await signInAgain()).status, (await signInAgain()).status]).toEqual([204, 401]);
    const keyless = openPasskeyShop(await sqliteStorage(file));
    const foreign = authenticator.get(await one.requestOptions("/passkey/options"));
    expect((await keyless.send("/passkey", { stay: false, credential: foreign })).status).toBe(401);
  });

  it("leaves nothing in storage except its id and public key", async () => {
    const file = await createTemporaryFile();
    const { createPersonWithPasskey, signInWith } = openPasskeyShop(await sqliteStorage(file));
    const { authenticator } = await createPersonWithPasskey("ada@example.com");
    await signInWith(authenticator);
    const content = [file, `${file}-wal`].map((each) => readFileSync(each, "latin1")).join("");
    expect(content).toContain(authenticator.credentialId);
    expect(content).not.toContain("clientDataJSON");
    expect(content).not.toContain("webauthn.get");
  });
});

describe("a response of a device", () => {
  const wrongs = {
    "from another origin": { origin: "https://shop.example.evil.example" },
    "from a page without TLS": { origin: "http://shop.example" },
    "for another relying party": { rpId: "evil.example" },
    "without user verification": { isVerified: false },
    "of another type": { type: "payment.get" },
    "for a made-up challenge": { challenge: Buffer.alloc(56).toString("base64url") },
    "for an invalid challenge": { challenge: "a" },
  } as const;

  it.each(Object.entries(wrongs))("%s creates no passkey and no session", async (_, wrong) => {
    const { person, addWith, createPersonWithPasskey, signInWith, getAccount } = openPasskeyShop();
    const { cookie } = await person("eve@example.com");
    expect((await addWith(cookie, new Authenticator(ORIGIN), "Phone", wrong)).status).toBe(400);
    expect((await getAccount(cookie)).passkeys).toEqual([]);
    const { authenticator } = await createPersonWithPasskey("ada@example.com");
    const response = await signInWith(authenticator, wrong);
    expect([response.status, response.headers.get("set-cookie")]).toEqual([401, null]);
    expect((await signInWith(authenticator)).status).toBe(204);
  });

  it("is accepted once, even from concurrent calls", async () => {
    const { acme, person, createPersonWithPasskey, requestOptions, send, getAccount } = openPasskeyShop();
    const ada = await createPersonWithPasskey("ada@example.com", "till", false);
    const credential = ada.authenticator.get(await requestOptions("/passkey/options"));
    const used = await Promise.all([1, 2, 3].map(() => send("/passkey", { stay: false, credential })));
    expect(used.map(({ status }) => status).sort()).toEqual([204, 401, 401]);
    expect(await acme.people.sessions(ada.id)).toHaveLength(2);
    const { cookie } = await person("eve@example.com");
    const createdCredential = new Authenticator(ORIGIN).create(
      await requestOptions("/me/passkeys/options", cookie),
    );
    const addPasskey = () =>
      send("/me/passkeys", { name: "Phone", credential: createdCredential }, { cookie });
    expect([(await addPasskey()).status, (await addPasskey()).status]).toEqual([200, 400]);
    expect((await getAccount(cookie)).passkeys).toHaveLength(1);
  });

  it("is accepted for five minutes", async () => {
    const { clock, person, createPersonWithPasskey, requestOptions, send } = openPasskeyShop();
    const { authenticator } = await createPersonWithPasskey("ada@example.com");
    const { cookie } = await person("eve@example.com");
    const [early, late, adding] = [
      await requestOptions("/passkey/options"),
      await requestOptions("/passkey/options"),
      await requestOptions("/me/passkeys/options", cookie),
    ];
    const signIn = async (options: Parameters<typeof authenticator.get>[0]) =>
      (await send("/passkey", { stay: false, credential: authenticator.get(options) })).status;
    clock.move(5 * 60_000 - 1);
    expect(await signIn(early)).toBe(204);
    clock.move(1);
    expect(await signIn(late)).toBe(401);
    const credential = new Authenticator(ORIGIN).create(adding);
    expect((await send("/me/passkeys", { name: "Phone", credential }, { cookie })).status).toBe(400);
  });

  it("to a challenge of another purpose, person or origin is refused", async () => {
    const file = await createTemporaryFile();
    const key = "k".repeat(32);
    const { person, createPersonWithPasskey, requestOptions, send } = openPasskeyShop(
      await sqliteStorage(file),
      { key },
    );
    const { authenticator, cookie } = await createPersonWithPasskey("ada@example.com");
    const { cookie: eve } = await person("eve@example.com");
    const adding = await requestOptions("/me/passkeys/options", cookie);
    const credential = authenticator.get({ challenge: adding.challenge, rpId: "shop.example" });
    expect((await send("/passkey", { stay: false, credential })).status).toBe(401);
    const others = new Authenticator(ORIGIN).create(adding);
    expect((await send("/me/passkeys", { name: "P", credential: others }, { cookie: eve })).status).toBe(400);
    const { challenge } = await requestOptions("/passkey/options");
    const bySignIn = new Authenticator(ORIGIN).create({ ...adding, challenge });
    expect((await send("/me/passkeys", { name: "P", credential: bySignIn }, { cookie })).status).toBe(400);
    const elsewhere = openPasskeyShop(await sqliteStorage(file), { key, passkeys: "https://other.example" });
    const foreign = authenticator.get(await requestOptions("/passkey/options"), {
      ...{ origin: "https://other.example", rpId: "other.example" },
    });
    expect((await elsewhere.send("/passkey", { stay: false, credential: foreign })).status).toBe(401);
  });

  it("whose counter goes back or stands still is refused, because the device may be a copy", async () => {
    const { createPersonWithPasskey, signInWith, acme } = openPasskeyShop();
    const { id, authenticator } = await createPersonWithPasskey("ada@example.com");
    expect((await signInWith(authenticator, { counter: 7 })).status).toBe(204);
    for (const counter of [6, 7, 0]) expect((await signInWith(authenticator, { counter })).status).toBe(401);
    expect((await signInWith(authenticator, { counter: 8 })).status).toBe(204);
    expect(await acme.people.sessions(id)).toHaveLength(3);
    const still = await createPersonWithPasskey("bob@example.com", "till", false);
    for (let time = 0; time < 2; time += 1) expect((await signInWith(still.authenticator)).status).toBe(204);
  });

  it("with another person's id, credential or both is refused", async () => {
    const { createPersonWithPasskey, signInWith, acme } = openPasskeyShop();
    const ada = await createPersonWithPasskey("ada@example.com", "owner");
    const eve = await createPersonWithPasskey("eve@example.com");
    const [userHandle, credentialId] = [ada.authenticator.userHandle, ada.authenticator.credentialId];
    for (const wrong of [{ userHandle }, { credentialId }, { userHandle, credentialId }])
      expect((await signInWith(eve.authenticator, wrong)).status).toBe(401);
    expect(await acme.people.sessions(ada.id)).toHaveLength(1);
  });

  it("that registers another person's credential gives no access to that person's account", async () => {
    const { createPersonWithPasskey, person, addWith, signInWith, getCookie, getAccount } = openPasskeyShop();
    const ada = await createPersonWithPasskey("ada@example.com", "owner");
    const { id, cookie } = await person("eve@example.com");
    const { credentialId } = ada.authenticator;
    const eve = new Authenticator(ORIGIN);
    expect((await addWith(cookie, eve, "Phone", { credentialId })).status).toBe(200);
    const signedIn = getCookie(await signInWith(eve, { credentialId }));
    expect((await getAccount(signedIn)).person.id).toBe(id);
    const { userHandle } = ada.authenticator;
    expect((await signInWith(eve, { credentialId, userHandle })).status).toBe(401);
    expect((await getAccount(getCookie(await signInWith(ada.authenticator)))).person.id).toBe(ada.id);
  });

  it("with the signature of another response is refused", async () => {
    const { createPersonWithPasskey, requestOptions, send } = openPasskeyShop();
    const { authenticator } = await createPersonWithPasskey("ada@example.com");
    const first = authenticator.get(await requestOptions("/passkey/options"));
    const second = authenticator.get(await requestOptions("/passkey/options"));
    const { signature } = second.response;
    const credential = { ...first, response: { ...first.response, signature } };
    expect((await send("/passkey", { stay: false, credential })).status).toBe(401);
  });

  it("is accepted without a check of its statement about the device's maker", async () => {
    const { person, addWith, getAccount } = openPasskeyShop();
    const { cookie } = await person("ada@example.com");
    // An invalid certificate chain, which a check would read.
    const chain = Buffer.concat([
      ...[Buffer.from([0xa3, 0x63]), Buffer.from("alg"), Buffer.from([0x26, 0x63]), Buffer.from("sig")],
      ...[encodeCborBytes(Buffer.alloc(32)), Buffer.from([0x63]), Buffer.from("x5c"), Buffer.from([0x81])],
      encodeCborBytes(Buffer.alloc(64)),
    ]);
    const added = await addWith(cookie, new Authenticator(ORIGIN), "Key", { statement: ["packed", chain] });
    expect(added.status).toBe(200);
    expect((await getAccount(cookie)).passkeys).toHaveLength(1);
  });

  it("of any other form is refused without a server error", async () => {
    const { createPersonWithPasskey, requestOptions, send } = openPasskeyShop();
    const { cookie, authenticator } = await createPersonWithPasskey("ada@example.com");
    const createdCredential = new Authenticator(ORIGIN).create(
      await requestOptions("/me/passkeys/options", cookie),
    );
    const used = authenticator.get(await requestOptions("/passkey/options"));
    const withResponse = (response: object) => ({ ...used, response: { ...used.response, ...response } });
    const deep = Buffer.alloc(8_000, 0x81).toString("base64url");
    for (const credential of [
      null,
      5,
      [],
      {},
      "x",
      { ...used, id: "" },
      { ...used, rawId: "other" },
      withResponse({ userHandle: undefined }),
      withResponse({ signature: "" }),
      withResponse({ authenticatorData: "AA" }),
      withResponse({ clientDataJSON: "e30" }),
      withResponse({ clientDataJSON: "%%" }),
      withResponse({ userHandle: "AA" }),
    ])
      expect([400, 401]).toContain((await send("/passkey", { stay: false, credential })).status);
    for (const attestationObject of [deep, "AA", "", 7, "o2M"]) {
      const credential = {
        ...createdCredential,
        response: { ...createdCredential.response, attestationObject },
      };
      expect((await send("/me/passkeys", { name: "P", credential }, { cookie })).status).toBe(400);
    }
    for (const [body, status] of [
      ["{", 400],
      [JSON.stringify({ stay: false, credential: used, rest: "x".repeat(20_000) }), 413],
    ] as const) {
      expect((await send("/passkey", body)).status).toBe(status);
      expect((await send("/me/passkeys", body, { cookie })).status).toBe(status);
    }
    expect((await send("/passkey", "a=b", { "content-type": "text/plain" })).status).toBe(415);
  });
});

describe("an outsider", () => {
  it("gets the same response whether people have passkeys or not", async () => {
    const { createPersonWithPasskey, requestOptions } = openPasskeyShop();
    const before = await requestOptions("/passkey/options");
    await createPersonWithPasskey("ada@example.com");
    const after = await requestOptions("/passkey/options");
    const expectedOptions = { rpId: "shop.example", userVerification: "required", timeout: 300_000 };
    expect(before).toEqual({ ...expectedOptions, challenge: expect.any(String) });
    expect(after).toEqual({ ...expectedOptions, challenge: expect.any(String) });
    expect(after.challenge).not.toBe(before.challenge);
  });

  it("isn't told why a response is invalid", async () => {
    const { createPersonWithPasskey, signInWith, acme } = openPasskeyShop();
    const { id, authenticator } = await createPersonWithPasskey("ada@example.com");
    const unknown = new Authenticator(ORIGIN);
    unknown.userHandle = Buffer.from("per_nobody").toString("base64url");
    const answers = [
      await signInWith(unknown),
      await signInWith(unknown, { userHandle: authenticator.userHandle }),
      await signInWith(authenticator, { origin: "https://evil.example" }),
    ];
    await acme.people.delete(id);
    answers.push(await signInWith(authenticator));
    const contents = await Promise.all(
      answers.map(async (answer) => [answer.status, [...answer.headers], await answer.text()]),
    );
    for (const each of contents) expect(each).toEqual(contents[0]);
  });

  it("can't cause anything to be stored for passkeys, regardless of how many challenges they request", async () => {
    const storage = memoryStorage();
    const { send, createPersonWithPasskey } = openPasskeyShop(storage);
    await createPersonWithPasskey("ada@example.com");
    const change = vi.spyOn(storage, "transaction");
    for (let time = 0; time < 150; time += 1) expect((await send("/passkey/options", {})).status).toBe(200);
    expect(change).not.toHaveBeenCalled();
  });

  it("can send 200 requests for challenges and sign-ins in 15 minutes", async () => {
    const { send, clock } = openPasskeyShop();
    for (let time = 0; time < 100; time += 1) {
      expect((await send("/passkey/options", {})).status).toBe(200);
      expect((await send("/passkey", {})).status).toBe(400);
    }
    const response = await send("/passkey/options", {});
    expect([response.status, Number(response.headers.get("retry-after")) > 800]).toEqual([429, true]);
    expect((await send("/passkey", {})).status).toBe(429);
    clock.move(900_000);
    expect((await send("/passkey/options", {})).status).toBe(200);
  });

  it("can't make a browser sign in or add a passkey from another site", async () => {
    const { createPersonWithPasskey, requestOptions, send, fetch, getAccount } = openPasskeyShop();
    const { cookie, authenticator } = await createPersonWithPasskey("ada@example.com");
    const credential = authenticator.get(await requestOptions("/passkey/options"));
    const foreign = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
    expect((await send("/passkey", { stay: false, credential }, foreign)).status).toBe(401);
    expect((await send("/me/passkeys/options", {}, { cookie, ...foreign })).status).toBe(401);
    const form = await fetch("/console/people/passkey", {
      method: "POST",
      headers: { "sec-fetch-site": "same-origin", "content-type": "application/json" },
      body: JSON.stringify({ stay: false, credential }),
    });
    expect(form.status).toBe(401);
    expect((await getAccount(cookie)).passkeys).toHaveLength(1);
    expect((await send("/passkey", { stay: false, credential })).status).toBe(204);
  });

  it("can neither add nor remove a passkey", async () => {
    const { acme, createPersonWithPasskey, send, callConsole, getAccount, getFirstPasskeyId } =
      openPasskeyShop();
    const { cookie } = await createPersonWithPasskey("ada@example.com");
    const id = await getFirstPasskeyId(cookie);
    const { token } = await acme.apiTokens.create({ name: "all", scopes: ["people:manage"] });
    for (const other of ["", "__Host-loyalty-kit-console=x", `__Host-loyalty-kit-console=${token}`]) {
      expect((await send("/me/passkeys/options", {}, { cookie: other })).status).toBe(401);
      expect((await send("/me/passkeys", {}, { cookie: other })).status).toBe(401);
      expect((await callConsole(other, `/people/me/passkeys/${id}`, { method: "DELETE" })).status).toBe(401);
    }
    expect((await getAccount(cookie)).passkeys).toHaveLength(1);
  });

  it("who is signed in as another person can't remove a passkey either", async () => {
    const { createPersonWithPasskey, person, callConsole, getAccount, getFirstPasskeyId } = openPasskeyShop();
    const { cookie } = await createPersonWithPasskey("ada@example.com");
    const id = await getFirstPasskeyId(cookie);
    const { cookie: eve } = await person("eve@example.com", "owner");
    expect((await callConsole(eve, `/people/me/passkeys/${id}`, { method: "DELETE" })).status).toBe(404);
    expect((await getAccount(cookie)).passkeys).toHaveLength(1);
  });
});

describe("passkeys", () => {
  it("are available only where they are configured", async () => {
    const { post, fetch } = openShop();
    const call = { "x-loyalty-console": "1" };
    expect((await post("/console/people/passkey/options", {}, call)).status).toBe(404);
    expect((await post("/console/people/me/passkeys/options", {}, call)).status).toBe(404);
    expect(await (await fetch("/console")).text()).not.toContain("passkey");
    const { fetch: atOther, acme } = openPasskeyShop();
    expect(await (await atOther("/console")).text()).not.toContain("data-origin");
    await acme.people.add({ email: "ada@example.com", role: "owner" });
    expect(await (await atOther("/console")).text()).toContain('data-origin="https://shop.example"');
  });

  it("can be configured only for an origin where browsers create them", () => {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    for (const passkeys of [
      ...["https://shop.example/", "https://shop.example/console", "http://shop.example", "shop.example", ""],
      ...[
        "https://127.0.0.1",
        "https://[::1]",
        "http://127.0.0.1:3000",
        "https://SHOP.example",
        "ftp://shop.example",
      ],
    ])
      expect(() => createConsole(loyalty, { passkeys })).toThrow(TypeError);
    for (const passkeys of ["https://shop.example", "https://shop.example:8443", "http://localhost:3000"])
      expect(createConsole(loyalty, { passkeys }).paths).toContain("/console/*");
  });

  it("are refused when the host signs people in", () => {
    const loyalty = new LoyaltyService({ storage: memoryStorage() });
    const signedIn = () => ({ redirect: "/login" });
    const createConsoleWithBoth = () => createConsole(loyalty, { signedIn, passkeys: ORIGIN });
    expect(createConsoleWithBoth).toThrow(
      new TypeError(
        "passkeys can't be given with signedIn: the host signs people in, so no one has a passkey",
      ),
    );
  });
});
