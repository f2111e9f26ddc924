import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { newToken } from "../../src/base/secrets/token-format.js";
import { newId, uuidV7 } from "../../src/base/values/ids.js";
import { encodeJoinCode } from "../../src/base/values/join-code.js";
import type { Attack, Target } from "./callers.js";
import { asksForChallenge, wrongAnswers } from "./passkeys.js";

/** One request of a stranger. */
interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** From how many addresses an attack comes: one, or this machine's many. */
type Origin = "one address" | "many addresses";

const addressOf = (origin: Origin, at: number) =>
  origin === "one address" ? "127.0.0.2" : `127.0.${1 + (at % 16)}.${1 + (Math.floor(at / 16) % 250)}`;

/** Asks on so many connections at once, each as soon as it was answered. */
function flood(connections: number, origin: Origin, ask: (target: Target, at: number) => Asked): Attack {
  return (target) => {
    const { hostname, port } = new URL(target.url);
    let asked = 0;
    for (let at = 0; at < connections; at += 1) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const localAddress = addressOf(origin, at);
      const next = () => {
        asked += 1;
        const { path, method = "GET", headers, body } = ask(target, asked);
        const soon = () => setTimeout(next, 1);
        const sent = request({ hostname, port, agent, localAddress, path, method, headers }, (answer) => {
          answer.on("close", soon).on("error", () => {});
          answer.resume();
        });
        sent.on("error", () => setTimeout(next, 100));
        sent.end(body);
      };
      next();
    }
  };
}

const form = (fields: Readonly<Record<string, string>>) => ({
  method: "POST",
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body: new URLSearchParams(fields).toString(),
});

const json = (body: unknown) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

const oneOf = <Item>(items: readonly Item[], at: number): Item => {
  const item = items[at % items.length];
  if (item === undefined) throw new Error("there is nothing to ask for");
  return item;
};

const guessed = () => encodeJoinCode(newId("tpl", uuidV7)) ?? "";

const color = () => randomBytes(3).toString("hex");

const logo = () => ({ path: `/wallets/google/logos/${color()}.png` });
const pass = ({ hostile }: Target, at: number) => ({ path: oneOf(hostile.public.passes, at) });
const card = ({ hostile }: Target, at: number) => ({ path: oneOf(hostile.public.cards, at) });
const picture = ({ hostile }: Target, at: number) => ({ path: oneOf(hostile.public.pictures, at) });

/** Forms, empty ones and filled-in ones, their pictures, and codes that are guessed. */
const join = ({ hostile }: Target, at: number) =>
  at % 2 === 0
    ? {
        path: oneOf(
          [hostile.public.join, hostile.public.shortJoin, ...hostile.public.drawn, `/j/${guessed()}`],
          at / 2,
        ),
      }
    : {
        path: hostile.public.join,
        ...form({ name: "Eve", email: `${randomUUID()}@example.com`, consent: "yes", key: "" }),
      };

/** Those that hold, and those of the right form that do not. */
const mailed = ({ hostile }: Target, at: number) => {
  const { cards, addresses, unsubscribing } = hostile.public.mails;
  const oneClick = form({ "List-Unsubscribe": "One-Click" });
  const link = oneOf(unsubscribing, at);
  const forged = link.replace(/.{22}$/, randomBytes(17).toString("base64url").slice(0, 22));
  const strange = `/m/u/${randomBytes(6).toString("hex")}e1-${randomBytes(11).toString("hex")}`;
  return oneOf(
    [
      { path: link },
      { path: link, ...oneClick },
      { path: forged, ...oneClick },
      { path: strange },
      { path: oneOf(addresses, at), ...form({ answer: at % 2 === 0 ? "confirm" : "refuse" }) },
      { path: oneOf(cards, at) },
    ],
    at % 64,
  );
};

const oauth = ({ hostile }: Target, at: number) => {
  const { clientId } = hostile.oauth;
  const wrong = { client_id: clientId, client_secret: newToken("secret"), token: newToken("refresh") };
  const query = new URLSearchParams({ response_type: "code", client_id: clientId, state: String(at) });
  return oneOf(
    [
      { path: `/oauth2/authorize?${query}` },
      {
        path: "/oauth2/token",
        ...form({ ...wrong, grant_type: "refresh_token", refresh_token: wrong.token }),
      },
      { path: "/oauth2/revoke", ...form(wrong) },
      { path: "/.well-known/oauth-authorization-server" },
    ],
    at,
  );
};

const signIn = (_: Target, at: number) => ({
  path: at % 2 === 0 ? "/console" : "/oauth2/sign-in",
  ...form({ token: newToken("api") }),
});

const consoleFile = ({ hostile }: Target, at: number) => ({
  path: oneOf([...hostile.public.files, "/console", "/console/till-worker.js", "/reference"], at),
  headers: { "accept-encoding": "gzip" },
});

const walletService = ({ hostile }: Target, at: number) => {
  const text = "x".repeat(50_000);
  const callback = {
    protocolVersion: "ECv2SigningOnly",
    signature: randomBytes(64).toString("base64"),
    signedMessage: text.slice(0, 5_000),
    intermediateSigningKey: {
      signedKey: text.slice(0, 5_000),
      signatures: Array.from({ length: 10 }, () => randomBytes(70).toString("base64")),
    },
  };
  const passType = `/wallets/apple/v1/devices/${randomUUID()}/registrations/${hostile.public.passType}`;
  return oneOf(
    [
      { path: "/wallets/apple/v1/log", ...json({ logs: [text] }) },
      { path: "/wallets/google/callback", ...json(callback) },
      { path: `${passType}?passesUpdatedSince=1` },
      { path: `${passType}/${randomUUID()}`, method: "DELETE", headers: { authorization: "ApplePass x" } },
      { path: `/wallets/images/${randomBytes(32).toString("hex")}` },
    ],
    at,
  );
};

const unknownCaller = () => ({
  path: "/v1/users",
  headers: { authorization: `Bearer ${newToken("api")}` },
});

/** What anybody may do to the service, without a token of anybody. */
export const attacksOfStrangers: Readonly<Record<string, Attack>> = {
  "strangers' logos": flood(400, "one address", logo),
  "strangers' logos, asked with HEAD": flood(400, "one address", () => ({ ...logo(), method: "HEAD" })),
  "strangers' passes": flood(100, "one address", pass),
  "strangers' passes, from many addresses": flood(400, "many addresses", pass),
  "strangers' pictures": flood(200, "many addresses", picture),
  "strangers' card pages": flood(400, "many addresses", card),
  "strangers' forms to join": flood(400, "many addresses", join),
  "strangers' links of mails": flood(400, "many addresses", mailed),
  "strangers' links that hold, from one address": flood(400, "one address", ({ hostile }, at) => ({
    path: oneOf(hostile.public.mails.unsubscribing, at),
    ...form({ "List-Unsubscribe": "One-Click", x: "x".repeat(15_000) }),
  })),
  "strangers' forms of a megabyte": flood(500, "many addresses", ({ hostile }, at) => ({
    path: at % 2 === 0 ? hostile.public.join : "/console",
    ...form({ name: "x".repeat(1_000_000) }),
  })),
  "strangers' visits to OAuth": flood(400, "many addresses", oauth),
  "strangers' sign-ins": flood(400, "many addresses", signIn),
  "strangers' passkeys": (target) => {
    const { path, ...asking } = asksForChallenge;
    void fetch(target.url + path, asking)
      .then((answer) => answer.text())
      .then((asked) => {
        const { ofNobody, forged } = wrongAnswers(asked, target.hostile.public.passkey);
        const ask = (at: number) => oneOf([asksForChallenge, forged, ofNobody()], at);
        flood(400, "many addresses", (_, at) => ask(at))(target);
      });
  },
  "strangers' console files": flood(200, "many addresses", consoleFile),
  "strangers' phones and callbacks": flood(200, "many addresses", walletService),
  "strangers' API documents": flood(200, "many addresses", () => ({ path: "/v1/openapi.json" })),
  "strangers' health checks": flood(400, "many addresses", (_, at) => ({
    path: at % 2 === 0 ? "/health/ready" : "/health/live",
  })),
  "strangers' tokens that nobody has": flood(400, "one address", unknownCaller),
  "strangers' tokens that nobody has, from many addresses": flood(400, "many addresses", unknownCaller),
  "strangers' paths that lead nowhere": flood(400, "many addresses", (_, at) => ({ path: `/nowhere/${at}` })),

  "strangers' new connections": ({ url }) => {
    const { hostname, port } = new URL(url);
    const begin = (at: number) => {
      const socket = connect({
        port: Number(port),
        host: hostname,
        localAddress: addressOf("many addresses", at),
      });
      socket.on("error", () => {}).on("close", () => setTimeout(begin, 1, at));
      socket.write("GET /health/live HTTP/1.1\r\nHost: till\r\nConnection: close\r\n\r\n");
      socket.resume();
    };
    for (let at = 0; at < 100; at += 1) begin(at);
  },

  "strangers' forms that do not come": ({ url }) => {
    const { hostname, port } = new URL(url);
    const begin = (at: number) => {
      const localAddress = addressOf("many addresses", at);
      const socket = connect({ port: Number(port), host: hostname, localAddress, allowHalfOpen: true });
      socket.on("error", () => {}).on("close", () => setTimeout(begin, 100, at));
      const head =
        "POST /console HTTP/1.1\r\nHost: till\r\nContent-Type: application/x-www-form-urlencoded\r\n";
      socket.write(`${head}Content-Length: 16000\r\n\r\ntoken=`);
      const more = setInterval(() => socket.writable && socket.write("x"), 50 + randomInt(50));
      socket.on("close", () => clearInterval(more));
      socket.resume();
    };
    for (let at = 0; at < 400; at += 1) begin(at);
  },
};
