import fc from "fast-check";
import { LoyaltyService } from "loyalty-kit";
import { memoryStorage } from "loyalty-kit/memory";
import { expect, it } from "vitest";
import { Parameters } from "../../adapters/http/auth/oauth/form.js";
import { html } from "../../adapters/http/html-page.js";
import { isOfPrivateUseScheme, isRedirectUri } from "../../src/base/values/url.js";
import { serviceInternals } from "../../src/internals.js";
import { ManualClock } from "../kit/manual-clock.js";
import { runs } from "../properties/runs.js";
import { challenge, parseRedirect, Scene, verifier } from "./scene.js";

const GRACE = 30_000;
const REFRESH = 30 * 86_400_000;
const ACCESS = 1_800_000;

/** What the model knows about a refresh token, without any storage. */
interface KnownToken {
  readonly token: string;
  readonly madeAt: number;
  usedAt: number | null;
  /** The refresh token that its first use returned. */
  next: KnownToken | null;
}

it("a refresh token has one successor, returned again within a grace period until it is used; other reuse ends its family", async () => {
  const step = fc.record({
    wait: fc.constantFrom(0, 1, GRACE - 1, GRACE, ACCESS, REFRESH - 1, REFRESH),
    which: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
      const clock = new ManualClock();
      const loyalty = new LoyaltyService({ storage: memoryStorage(), clock: clock.read });
      const redirectUris = ["https://app.example/"];
      const { app } = await loyalty
        .organization("vendor")
        .apps.create({ name: "Till", redirectUris, scopes: ["user:read"] });
      const code = await loyalty.organization("acme").grants.allow({
        appId: app.id,
        subject: "ada",
        scopes: ["user:read"],
        redirectUri: null,
        codeChallenge: challenge,
      });
      const { appTokens } = serviceInternals(loyalty);
      const first = await appTokens.redeem(app, { code, redirectUri: null, codeVerifier: verifier });
      if ("refused" in first) throw new Error(first.reason);
      const tokens: KnownToken[] = [
        { token: first.refreshToken, madeAt: clock.now, usedAt: null, next: null },
      ];
      const accesses = [{ token: first.accessToken, madeAt: clock.now }];
      let isEnded = false;
      for (const { wait, which } of steps) {
        clock.move(wait);
        const tokenToSend = tokens[which % tokens.length] ?? expect.fail("there is no token");
        const isLive = clock.now - tokenToSend.madeAt < REFRESH;
        const isTold = tokenToSend.next?.usedAt === null && clock.now - (tokenToSend.usedAt ?? 0) < GRACE;
        const isReused = isLive && tokenToSend.usedAt !== null && !isTold;
        const isTaken = !isEnded && isLive && !isReused;
        const answer = await appTokens.refresh(app, { refreshToken: tokenToSend.token, scopes: null });
        expect("refused" in answer).toBe(!isTaken);
        isEnded ||= isReused;
        if ("refused" in answer) continue;
        if (tokenToSend.next !== null) {
          expect(answer.refreshToken).toBe(tokenToSend.next.token);
          continue;
        }
        tokenToSend.usedAt = clock.now;
        tokenToSend.next = { token: answer.refreshToken, madeAt: clock.now, usedAt: null, next: null };
        tokens.push(tokenToSend.next);
        accesses.push({ token: answer.accessToken, madeAt: clock.now });
      }
      for (const { token, madeAt } of accesses) {
        const isGood = !isEnded && clock.now - madeAt < ACCESS;
        expect((await loyalty.verifyToken(token)) !== null).toBe(isGood);
      }
      await loyalty.close();
    }),
    runs(60),
  );
});

it("any text stays text in a page", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const markup = html`<p title="${text}">${text}</p>`.text;
      expect(markup.match(/[<>]/g)).toHaveLength(4);
      expect(markup.match(/"/g)).toHaveLength(2);
    }),
    runs(100),
  );
});

it("any text is read from a form as it was written", () => {
  const text = fc.string({ unit: "grapheme" }).filter((value) => value !== "" && value.isWellFormed());
  fc.assert(
    fc.property(fc.uniqueArray(text), fc.array(text), (names, values) => {
      const pairs = names.map((name, at): [string, string] => [name, values[at] ?? "x"]);
      const parameters = Parameters.parse(new URLSearchParams(pairs).toString());
      for (const [name, value] of pairs) expect(parameters.find(name)).toBe(value);
    }),
    runs(100),
  );
});

it("a redirect URI is parsed the same way by every parser, and keeps its host when parameters are added", () => {
  const part = fc.constantFrom(
    ...[
      "https://",
      "http://",
      "localhost",
      "127.0.0.1",
      "[::1]",
      "app.example",
      "evil.example",
      "@",
      ":",
      "80",
      "/",
    ],
    ...["?", "#", "\\", ".", "%2f", "%", "a", "..", ";", ",", "=", "&", " ", "\t", "ä", "<", "*"],
  );
  const uri = fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(""));
  const mostlyRight = fc.oneof(
    uri,
    uri.map((rest) => `https://app.example/${rest}`),
    uri.map((rest) => `example.app:/${rest}`),
  );
  fc.assert(
    fc.property(mostlyRight, (text) => {
      if (!isRedirectUri(text)) return;
      const { protocol, username, password, hash, host } = new URL(text);
      expect([username, password, hash]).toEqual(["", "", ""]);
      const redirect = new URL(`${text}${text.includes("?") ? "&" : "?"}code=x`);
      expect([redirect.protocol, redirect.host]).toEqual([protocol, host]);
      if (isOfPrivateUseScheme(text)) {
        expect(host).toBe("");
        return;
      }
      expect(protocol === "https:" || /^(localhost|127\.0\.0\.1|\[::1\])(:|$)/.test(host)).toBe(true);
      const [, authority] = /^https?:\/\/([^/?]*)/.exec(text) ?? [];
      expect(new URL(`${protocol}//${authority}`).host).toBe(host);
    }),
    runs(2_000),
  );
});

it("any state of printable ASCII is returned unchanged", async () => {
  const scene = new Scene();
  const app = await scene.createApp();
  const printable = fc
    .string({ unit: "binary-ascii", minLength: 1 })
    .map((text) => text.replaceAll(/[^ -~]/g, "&"));
  await fc.assert(
    fc.asyncProperty(printable, async (state) => {
      const answer = parseRedirect(await scene.decide(scene.authorizeUrl(app, { state }), "deny"));
      expect(answer.get("state")).toBe(state);
    }),
    runs(40),
  );
});
