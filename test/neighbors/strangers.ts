import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { connect } from "node:net";
import { newToken } from "../../src/base/secrets/token-format.js";
import { newId, uuidV7 } from "../../src/base/values/ids.js";
import { encodeJoinCode } from "../../src/base/values/short-link.js";
import type { Attack, Target } from "./callers.js";
import { asksForChallenge, createWrongAnswers } from "./passkeys.js";

/** One request of an anonymous client. */
interface StrangerRequest {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Where an attack comes from: one address, or many of this machine. */
type Origin = "one address" | "many addresses";

const pickAddress = (origin: Origin, at: number) =>
  origin === "one address" ? "127.0.0.2" : `127.0.${1 + (at % 16)}.${1 + (Math.floor(at / 16) % 250)}`;

/** Sends requests on this many connections at the same time, the next one as soon as the last one is answered. */
function createFlood(
  connections: number,
  origin: Origin,
  ask: (target: Target, at: number) => StrangerRequest,
): Attack {
  return (target) => {
    const { hostname, port } = new URL(target.url);
    let requestCount = 0;
    for (let at = 0; at < connections; at += 1) {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const localAddress = pickAddress(origin, at);
      const sendNext = () => {
        requestCount += 1;
        const { path, method = "GET", headers, body } = ask(target, requestCount);
        const scheduleNext = () => setTimeout(sendNext, 1);
        const clientRequest = request(
          { hostname, port, agent, localAddress, path, method, headers },
          (answer) => {
            answer.on("close", scheduleNext).on("error", () => {});
            answer.resume();
          },
        );
        clientRequest.on("error", () => setTimeout(sendNext, 100));
        clientRequest.end(body);
      };
      sendNext();
    }
  };
}

const createForm = (fields: Readonly<Record<string, string>>) => ({
  method: "POST",
  headers: { "content-type": "application/x-www-form-urlencoded" },
  body: new URLSearchParams(fields).toString(),
});

const createJson = (body: unknown) => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});

const pickOne = <Item>(items: readonly Item[], at: number): Item => {
  const item = items[at % items.length];
  if (item === undefined) throw new Error("there is nothing to ask for");
  return item;
};

const guessCode = () => encodeJoinCode(newId("tpl", uuidV7)) ?? "";

const randomColor = () => randomBytes(3).toString("hex");

const requestLogo = () => ({ path: `/wallets/google/logos/${randomColor()}.png` });
const requestPass = ({ hostile }: Target, at: number) => ({ path: pickOne(hostile.public.passes, at) });
const requestCard = ({ hostile }: Target, at: number) => ({ path: pickOne(hostile.public.cards, at) });
const requestPicture = ({ hostile }: Target, at: number) => ({ path: pickOne(hostile.public.pictures, at) });

/** Requests empty and filled-in forms, their pictures, and guessed codes. */
const requestJoin = ({ hostile }: Target, at: number) =>
  at % 2 === 0
    ? {
        path: pickOne(
          [hostile.public.join, hostile.public.shortJoin, ...hostile.public.drawn, `/j/${guessCode()}`],
          at / 2,
        ),
      }
    : {
        path: hostile.public.join,
        ...createForm({ name: "Eve", contact: `${randomUUID()}@example.com`, key: "" }),
      };

/** Requests valid links, and invalid ones of the right form. */
const requestMailed = ({ hostile }: Target, at: number) => {
  const { cards, addresses, unsubscribing } = hostile.public.mails;
  const oneClick = createForm({ "List-Unsubscribe": "One-Click" });
  const link = pickOne(unsubscribing, at);
  const forged = link.replace(/.{22}$/, randomBytes(17).toString("base64url").slice(0, 22));
  const strange = `/m/u/${randomBytes(6).toString("hex")}e1-${randomBytes(11).toString("hex")}`;
  return pickOne(
    [
      { path: link },
      { path: link, ...oneClick },
      { path: forged, ...oneClick },
      { path: strange },
      { path: pickOne(addresses, at), ...createForm({ answer: at % 2 === 0 ? "confirm" : "refuse" }) },
      { path: pickOne(cards, at) },
    ],
    at % 64,
  );
};

const requestOAuth = ({ hostile }: Target, at: number) => {
  const { clientId } = hostile.oauth;
  const wrong = { client_id: clientId, client_secret: newToken("secret"), token: newToken("refresh") };
  const query = new URLSearchParams({ response_type: "code", client_id: clientId, state: String(at) });
  return pickOne(
    [
      { path: `/oauth2/authorize?${query}` },
      {
        path: "/oauth2/token",
        ...createForm({ ...wrong, grant_type: "refresh_token", refresh_token: wrong.token }),
      },
      { path: "/oauth2/revoke", ...createForm(wrong) },
      { path: "/.well-known/oauth-authorization-server" },
    ],
    at,
  );
};

const signIn = (_: Target, at: number) => ({
  path: at % 2 === 0 ? "/console" : "/oauth2/sign-in",
  ...createForm({ token: newToken("api") }),
});

const requestConsoleFile = ({ hostile }: Target, at: number) => ({
  path: pickOne([...hostile.public.files, "/console", "/console/till-worker.js", "/reference"], at),
  headers: { "accept-encoding": "gzip" },
});

const requestWalletService = ({ hostile }: Target, at: number) => {
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
  return pickOne(
    [
      { path: "/wallets/apple/v1/log", ...createJson({ logs: [text] }) },
      { path: "/wallets/google/callback", ...createJson(callback) },
      { path: `${passType}?passesUpdatedSince=1` },
      { path: `${passType}/${randomUUID()}`, method: "DELETE", headers: { authorization: "ApplePass x" } },
      { path: `/wallets/images/${randomBytes(32).toString("hex")}` },
    ],
    at,
  );
};

const requestUnknown = () => ({
  path: "/v1/users",
  headers: { authorization: `Bearer ${newToken("api")}` },
});

/** What anyone may do to the service without a token. */
export const attacksOfStrangers: Readonly<Record<string, Attack>> = {
  "strangers' logos": createFlood(400, "one address", requestLogo),
  "strangers' logos, requested with HEAD": createFlood(400, "one address", () => ({
    ...requestLogo(),
    method: "HEAD",
  })),
  "strangers' passes": createFlood(100, "one address", requestPass),
  "strangers' passes, from many addresses": createFlood(400, "many addresses", requestPass),
  "strangers' pictures": createFlood(200, "many addresses", requestPicture),
  "strangers' card pages": createFlood(400, "many addresses", requestCard),
  "strangers' forms to join": createFlood(400, "many addresses", requestJoin),
  "strangers' links of mails": createFlood(400, "many addresses", requestMailed),
  "strangers' valid links, from one address": createFlood(400, "one address", ({ hostile }, at) => ({
    path: pickOne(hostile.public.mails.unsubscribing, at),
    ...createForm({ "List-Unsubscribe": "One-Click", x: "x".repeat(15_000) }),
  })),
  "strangers' forms of a megabyte": createFlood(500, "many addresses", ({ hostile }, at) => ({
    path: at % 2 === 0 ? hostile.public.join : "/console",
    ...createForm({ name: "x".repeat(1_000_000) }),
  })),
  "strangers' visits to OAuth": createFlood(400, "many addresses", requestOAuth),
  "strangers' sign-ins": createFlood(400, "many addresses", signIn),
  "strangers' passkeys": (target) => {
    const { path, ...asking } = asksForChallenge;
    void fetch(target.url + path, asking)
      .then((answer) => answer.text())
      .then((challenge) => {
        const { ofNobody, forged } = createWrongAnswers(challenge, target.hostile.public.passkey);
        const ask = (at: number) => pickOne([asksForChallenge, forged, ofNobody()], at);
        createFlood(400, "many addresses", (_, at) => ask(at))(target);
      });
  },
  "strangers' console files": createFlood(200, "many addresses", requestConsoleFile),
  "strangers' phones and callbacks": createFlood(200, "many addresses", requestWalletService),
  "strangers' API documents": createFlood(200, "many addresses", () => ({ path: "/v1/openapi.json" })),
  "strangers' health checks": createFlood(400, "many addresses", (_, at) => ({
    path: at % 2 === 0 ? "/health/ready" : "/health/live",
  })),
  "strangers' unknown tokens": createFlood(400, "one address", requestUnknown),
  "strangers' unknown tokens, from many addresses": createFlood(400, "many addresses", requestUnknown),
  "strangers' unknown paths": createFlood(400, "many addresses", (_, at) => ({
    path: `/nowhere/${at}`,
  })),

  "strangers' new connections": ({ url }) => {
    const { hostname, port } = new URL(url);
    const begin = (at: number) => {
      const socket = connect({
        port: Number(port),
        host: hostname,
        localAddress: pickAddress("many addresses", at),
      });
      socket.on("error", () => {}).on("close", () => setTimeout(begin, 1, at));
      socket.write("GET /health/live HTTP/1.1\r\nHost: till\r\nConnection: close\r\n\r\n");
      socket.resume();
    };
    for (let at = 0; at < 100; at += 1) begin(at);
  },

  "strangers' forms that never finish": ({ url }) => {
    const { hostname, port } = new URL(url);
    const begin = (at: number) => {
      const localAddress = pickAddress("many addresses", at);
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
