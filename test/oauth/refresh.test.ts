import { sqliteStorage } from "loyalty-kit/sqlite";
import { describe, expect, it } from "vitest";
import { everyAdapter } from "../kit/every-adapter.js";
import { ManualClock } from "../kit/manual-clock.js";
import { createTemporaryFile } from "../sqlite/temporary-file.js";
import { readError, readTokens, Scene } from "./scene.js";

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

describe.each(everyAdapter)("a refresh token on $name", ({ open }) => {
  it("is exchanged for a new pair, and the previous access token stays valid", async () => {
    const scene = new Scene({ storage: await open() });
    const app = await scene.createApp();
    const first = await scene.createTokens(app);
    const second = await readTokens(await scene.refresh(app, first.refresh_token));
    expect(second).toMatchObject({ token_type: "Bearer", expires_in: 1_800, scope: first.scope });
    expect(new Set(Object.values({ ...first, ...second })).size).toBe(5);
    expect(await scene.areTokensValid(first.access_token, second.access_token)).toEqual([true, true]);
    expect((await scene.refresh(app, second.refresh_token)).status).toBe(200);
  });

  it("returns the same tokens within 30 seconds of its first use, because the response may be lost", async () => {
    const scene = new Scene({ storage: await open() });
    const app = await scene.createApp();
    const { refresh_token } = await scene.createTokens(app);
    const first = await readTokens(await scene.refresh(app, refresh_token));
    scene.clock.move(29_999);
    const again = await readTokens(await scene.refresh(app, refresh_token, { scope: "user:read" }));
    expect(again).toEqual({ ...first, expires_in: 1_770 });
    expect(await scene.areTokensValid(first.access_token)).toEqual([true]);
    expect((await scene.refresh(app, again.refresh_token)).status).toBe(200);
  });

  it("that is reused later ends the grant with all its tokens", async () => {
    const scene = new Scene({ storage: await open() });
    const app = await scene.createApp();
    const other = await scene.createTokens(app);
    const { access_token, refresh_token } = await scene.createTokens(app);
    const second = await readTokens(await scene.refresh(app, refresh_token));
    scene.clock.move(30_000);
    expect(await readError(await scene.refresh(app, refresh_token))).toEqual([400, "invalid_grant"]);
    expect(await scene.areTokensValid(access_token, second.access_token)).toEqual([false, false]);
    for (const endedToken of [second.refresh_token, refresh_token]) {
      expect(await readError(await scene.refresh(app, endedToken))).toEqual([400, "invalid_grant"]);
    }
    expect((await scene.refresh(app, other.refresh_token)).status).toBe(200);
  });

  it("that is reused after its successor was exchanged ends the grant, even within the grace period", async () => {
    const scene = new Scene({ storage: await open() });
    const app = await scene.createApp();
    const { refresh_token } = await scene.createTokens(app);
    const second = await readTokens(await scene.refresh(app, refresh_token));
    const third = await readTokens(await scene.refresh(app, second.refresh_token));
    expect(await readError(await scene.refresh(app, refresh_token))).toEqual([400, "invalid_grant"]);
    expect(await scene.areTokensValid(second.access_token, third.access_token)).toEqual([false, false]);
    expect(await readError(await scene.refresh(app, third.refresh_token))).toEqual([400, "invalid_grant"]);
  });

  it("that is reused after the new access token was revoked ends the grant", async () => {
    const scene = new Scene({ storage: await open() });
    const app = await scene.createApp();
    const { refresh_token } = await scene.createTokens(app);
    const second = await readTokens(await scene.refresh(app, refresh_token));
    await scene.revoke(app, second.access_token);
    expect(await readError(await scene.refresh(app, refresh_token))).toEqual([400, "invalid_grant"]);
    expect(await readError(await scene.refresh(app, second.refresh_token))).toEqual([400, "invalid_grant"]);
  });

  it("has one successor, even if it is used several times concurrently", async () => {
    const scene = new Scene({ storage: await open() });
    const app = await scene.createApp();
    const { refresh_token } = await scene.createTokens(app);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => scene.refresh(app, refresh_token).then(readTokens)),
    );
    expect(new Set(answers.map((answer) => answer.refresh_token)).size).toBe(1);
    expect(new Set(answers.map((answer) => answer.access_token)).size).toBe(1);
    const [{ refresh_token: next } = expect.fail("there is no answer")] = answers;
    expect((await scene.refresh(app, next)).status).toBe(200);
  });

  it("that is reused late and many times concurrently returns nothing", async () => {
    const scene = new Scene({ storage: await open() });
    const app = await scene.createApp();
    const { refresh_token } = await scene.createTokens(app);
    await scene.refresh(app, refresh_token);
    scene.clock.move(MINUTE);
    const answers = await Promise.all(Array.from({ length: 8 }, () => scene.refresh(app, refresh_token)));
    for (const answer of answers) expect(await readError(answer)).toEqual([400, "invalid_grant"]);
  });

  it("can't be used by another app, and stays valid for its own", async () => {
    const scene = new Scene({ storage: await open() });
    const [app, thief] = [await scene.createApp(), await scene.createApp()];
    const { refresh_token } = await scene.createTokens(app);
    expect(await readError(await scene.refresh(thief, refresh_token))).toEqual([400, "invalid_grant"]);
    expect((await scene.refresh(app, refresh_token)).status).toBe(200);
  });
});

describe("a refresh token", () => {
  it("expires after 30 days", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const [soon, late] = [await scene.createTokens(app), await scene.createTokens(app)];
    scene.clock.move(30 * DAY - 1);
    expect((await scene.refresh(app, soon.refresh_token)).status).toBe(200);
    scene.clock.move(1);
    expect(await readError(await scene.refresh(app, late.refresh_token))).toEqual([400, "invalid_grant"]);
  });

  it("stays valid when the clock is set forward and back by a day", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    let { refresh_token } = await scene.createTokens(app);
    for (const ms of [DAY, -DAY, -DAY, DAY]) {
      scene.clock.move(ms);
      ({ refresh_token } = await readTokens(await scene.refresh(app, refresh_token)));
    }
  });

  it("has no longer grace period when the clock is set back", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const { refresh_token } = await scene.createTokens(app);
    await scene.refresh(app, refresh_token);
    scene.clock.move(-DAY);
    expect(await readError(await scene.refresh(app, refresh_token))).toEqual([400, "invalid_grant"]);
  });

  it("may be narrowed to fewer scopes for one access token, never widened", async () => {
    const scene = new Scene();
    const app = await scene.createApp();
    const { refresh_token } = await scene.createTokens(app, { scope: "user:read user:create" });
    const narrow = await readTokens(await scene.refresh(app, refresh_token, { scope: "user:read" }));
    expect(narrow.scope).toBe("user:read");
    const { loyalty } = scene;
    expect((await loyalty.verifyToken(narrow.access_token))?.scopes).toEqual(["user:read"]);
    const whole = await readTokens(await scene.refresh(app, narrow.refresh_token));
    expect(new Set(whole.scope.split(" "))).toEqual(new Set(["user:read", "user:create"]));
    for (const scope of ["user:update", "user:read user:update", "user", "user:*", "user:rea", "USER:READ"]) {
      const answer = await scene.refresh(app, whole.refresh_token, { scope });
      expect(await readError(answer), scope).toEqual([400, "invalid_scope"]);
    }
    expect((await scene.refresh(app, whole.refresh_token)).status).toBe(200);
  });

  it("is required", async () => {
    const scene = new Scene();
    const answer = await scene.refresh(await scene.createApp(), "");
    expect(await readError(answer)).toEqual([400, "invalid_request"]);
  });
});

describe("two services on one SQLite file", () => {
  const openTwoScenes = async () => {
    const file = createTemporaryFile();
    const clock = new ManualClock();
    const [one, two] = [
      new Scene({ storage: await sqliteStorage(file, { synchronous: "NORMAL" }), clock }),
      new Scene({ storage: await sqliteStorage(file, { synchronous: "NORMAL" }), clock }),
    ];
    return { one, two, clock };
  };

  it("exchange a code for tokens only once", async () => {
    const { one, two } = await openTwoScenes();
    const app = await one.createApp();
    const code = await one.createCode(app);
    const answers = await Promise.all([one, two, one, two].map((scene) => scene.redeem(app, code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
  });

  it("know each other's tokens, and see their end immediately", async () => {
    const { one, two, clock } = await openTwoScenes();
    const app = await one.createApp();
    const tokens = await one.createTokens(app);
    expect(await two.areTokensValid(tokens.access_token)).toEqual([true]);
    const second = await readTokens(await two.refresh(app, tokens.refresh_token));
    clock.move(MINUTE);
    expect(await readError(await one.refresh(app, tokens.refresh_token))).toEqual([400, "invalid_grant"]);
    expect(await two.areTokensValid(tokens.access_token, second.access_token)).toEqual([false, false]);
  });
});
