import { scopes } from "loyalty-kit";
import { describe, expect, it } from "vitest";
import { serviceInternals } from "../../src/internals.js";
import { Authenticator } from "../kit/authenticator.js";
import { ManualClock } from "../kit/manual-clock.js";
import { sharedDatabases } from "../kit/shared-databases.js";
import { ORIGIN, openPasskeyShop } from "./passkey-scene.js";
import { findLinks } from "./scene.js";

const ROUNDS = 12;
const HOUR = 3_600_000;
const json = { "content-type": "application/json" };
const listStatuses = (answers: readonly { readonly status: number }[]) => answers.map(({ status }) => status);

describe.each(Object.entries(sharedDatabases))("two processes on one database of %s", (_, newDatabase) => {
  async function openTwoProcesses() {
    const open = await newDatabase();
    const clock = new ManualClock();
    const options = { key: "a secret of thirty-two characters" };
    const one = openPasskeyShop(await open(), options, clock);
    const two = openPasskeyShop(await open(), options, clock);
    return { one, two, clock };
  }

  it("begin only one session for an invitation and a sign-in link requested in addition", async () => {
    const { one, two } = await openTwoProcesses();
    for (let round = 0; round < ROUNDS; round += 1) {
      const email = `p${round}@example.com`;
      const { person, link } = await one.acme.people.add({ email, role: "till" });
      await serviceInternals(two.loyalty).signIns.mailLinks(email, null);
      await expect.poll(() => two.mails.length).toBe(round + 1);
      const [signInLink = ""] = findLinks(two.mails.at(-1));
      const paths = round % 2 === 0 ? [link.path, signInLink] : [link.path, link.path];
      const answers = await Promise.all(
        paths.flatMap((path) => [one.press(path), two.press(path), one.press(path), two.press(path)]),
      );
      expect(listStatuses(answers).sort()).toEqual([303, ...Array.from({ length: 7 }, () => 410)]);
      expect(await one.acme.people.sessions(person.id)).toHaveLength(1);
    }
  });

  it("leave no session that was ended, even if its use is recorded at the same time", async () => {
    const { one, two, clock } = await openTwoProcesses();
    const { id: person, cookie: first } = await one.person("ada@example.com", "owner");
    const stays = await one.signIn((await one.acme.people.link(person)).path, { stay: "on" });
    await one.post("/console/sign-out", {}, { cookie: first });
    for (let round = 0; round < ROUNDS; round += 1) {
      const cookie = await two.signIn((await one.acme.people.link(person)).path, { stay: "on" });
      clock.move(HOUR);
      const useBothSessions = () =>
        Promise.all([two.callApi(cookie, "/v1/people"), one.callApi(stays, "/v1/people")]);
      const [, out] = await Promise.all([
        useBothSessions(),
        one.post("/console/sign-out", {}, { cookie }),
        useBothSessions(),
      ]);
      expect(out.status).toBe(303);
      expect(
        listStatuses(await Promise.all([one, two].map((each) => each.callApi(cookie, "/v1/people")))),
      ).toEqual([401, 401]);
      await useBothSessions();
      expect(await one.acme.people.sessions(person)).toHaveLength(1);
    }
  });

  it("do nothing for a removed or demoted person once the call that did it has returned", async () => {
    const { one, two } = await openTwoProcesses();
    const createTag = (cookie: string, name: string) =>
      two.callApi(cookie, "/v1/api-tokens", {
        method: "POST",
        headers: json,
        body: JSON.stringify({ name, scopes: ["user:read"] }),
      });
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id, cookie } = await one.person(`p${round}@example.com`, "owner");
      const under = Array.from({ length: 6 }, (_each, at) => createTag(cookie, `${round}.${at}`));
      const isRemoved = round % 2 === 0;
      await (isRemoved ? one.acme.people.delete(id) : one.acme.people.update(id, { role: "till" }));
      const later = await Promise.all([createTag(cookie, "later"), createTag(cookie, "later")]);
      expect(new Set(listStatuses(later))).toEqual(new Set([isRemoved ? 401 : 403]));
      const allowed = [201, isRemoved ? 401 : 403];
      for (const { status } of await Promise.all(under)) expect(allowed).toContain(status);
    }
    expect((await one.acme.apiTokens.list()).map(({ name }) => name)).not.toContain("later");
  });

  it("add one passkey per challenge, and sign in once per response", async () => {
    const { one, two } = await openTwoProcesses();
    const ada = await one.person("ada@example.com", "owner");
    for (let round = 0; round < 4; round += 1) {
      const device = new Authenticator(ORIGIN, round % 2 === 0);
      const options = await one.requestOptions("/me/passkeys/options", ada.cookie);
      const body = { name: "Phone", credential: device.create(options) };
      const responses = await Promise.all(
        [one, two, one, two].map((each) => each.send("/me/passkeys", body, { cookie: ada.cookie })),
      );
      expect(listStatuses(responses).sort()).toEqual([200, 400, 400, 400]);
      const before = (await one.acme.people.sessions(ada.id)).length;
      const credential = device.get(await two.requestOptions("/passkey/options"));
      const starts = await Promise.all(
        [one, two, one, two].map((each) => each.send("/passkey", { stay: false, credential })),
      );
      expect(listStatuses(starts).sort()).toEqual([204, 401, 401, 401]);
      expect(await one.acme.people.sessions(ada.id)).toHaveLength(before + 1);
    }
    expect((await two.getAccount(ada.cookie)).passkeys).toHaveLength(4);
  });

  it("allow at most ten passkeys and twenty sessions of a person, and one person per address", async () => {
    const { one, two } = await openTwoProcesses();
    const ada = await one.person("ada@example.com", "owner");
    const devices = Array.from({ length: 14 }, () => new Authenticator(ORIGIN));
    const added = await Promise.all(
      devices.map((device, at) => (at % 2 === 0 ? one : two).addWith(ada.cookie, device)),
    );
    expect(listStatuses(added).filter((status) => status === 200)).toHaveLength(10);
    expect(new Set(listStatuses(added))).toEqual(new Set([200, 409]));
    const signedIn = devices.filter((_device, at) => added[at]?.status === 200);
    for (const each of [one, two]) {
      const starts = await Promise.all([...signedIn, ...signedIn].map((device) => each.signInWith(device)));
      expect(listStatuses(starts)).toContain(204);
    }
    expect((await one.acme.people.sessions(ada.id)).length).toBeLessThanOrEqual(20);
    const invited = await Promise.allSettled(
      [one, two, one, two].map(({ acme }) => acme.people.add({ email: "Bea@example.com", role: "till" })),
    );
    expect(invited.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(invited.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []))).toEqual(
      Array.from({ length: 3 }, () => "person_already_exists"),
    );
  });

  it("retain the last owner, regardless of the process in which owners remove each other", async () => {
    const { one, two } = await openTwoProcesses();
    for (let round = 0; round < ROUNDS; round += 1) {
      const owners: { readonly id: string; readonly cookie: string }[] = [];
      for (const at of [0, 1, 2]) owners.push(await one.person(`${round}.${at}@example.com`, "owner"));
      const pairs = owners.flatMap((by) => owners.filter((of) => of !== by).map((of) => ({ by, of })));
      const answers = await Promise.all(
        pairs.map(({ by, of }, at) => {
          const shop = (at + round) % 2 === 0 ? one : two;
          const init =
            (at + round) % 3 === 0
              ? { method: "DELETE" }
              : { method: "PATCH", headers: json, body: JSON.stringify({ role: "till" }) };
          return shop.callApi(by.cookie, `/v1/people/${of.id}`, init);
        }),
      );
      for (const status of listStatuses(answers)) expect([200, 204, 401, 403, 404, 409]).toContain(status);
      const { content } = await two.acme.people.list();
      expect(content.filter(({ role }) => role === "owner").length).toBeGreaterThanOrEqual(1);
      for (const { id } of content) await two.acme.people.delete(id);
    }
  });

  it("end all sessions that began with a token before, and none that begins later", async () => {
    const { one, two, clock } = await openTwoProcesses();
    const { token } = await one.acme.apiTokens.create({ name: "me", scopes: [...scopes] });
    for (let round = 0; round < ROUNDS; round += 1) {
      const cookie = one.getCookie(await one.post("/console", { token }));
      const other = two.getCookie(await two.post("/console", { token }));
      const [out] = await Promise.all([
        one.post("/console/sign-out/everywhere", {}, { cookie }),
        two.callApi(other, "/v1/people"),
      ]);
      expect(out.status).toBe(303);
      for (const each of [one, two])
        expect(
          listStatuses([await each.callApi(cookie, "/v1/people"), await each.callApi(other, "/v1/people")]),
        ).toEqual([401, 401]);
      clock.move(1);
      const later = two.getCookie(await two.post("/console", { token }));
      expect((await one.callApi(later, "/v1/people")).status).toBe(200);
    }
  });

  it("leave a token that is rotated in both and revoked at most one valid secret, and only while it is listed", async () => {
    const { one, two } = await openTwoProcesses();
    for (let round = 0; round < ROUNDS; round += 1) {
      const { token, apiToken } = await one.acme.apiTokens.create({ name: "till", scopes: ["user:read"] });
      const ends = await Promise.allSettled([
        one.acme.apiTokens.rotate(apiToken.id),
        two.acme.apiTokens.rotate(apiToken.id),
        ...(round % 2 === 0 ? [two.acme.apiTokens.delete(apiToken.id)] : []),
      ]);
      const tokens = ends.flatMap((end) =>
        end.status === "fulfilled" && end.value !== undefined ? [end.value.token] : [],
      );
      const getStatus = async (secret: string) =>
        (await two.fetch("/v1/contacts", { headers: { authorization: `Bearer ${secret}` } })).status;
      expect(await getStatus(token)).toBe(401);
      const good = (await Promise.all(tokens.map(getStatus))).filter((each) => each === 200);
      const remainingToken = (await one.acme.apiTokens.list()).filter(({ id }) => id === apiToken.id);
      expect(good).toHaveLength(remainingToken.length);
    }
  });
});
