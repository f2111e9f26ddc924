import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { connect } from "node:net";
import { buildJpeg, buildPng, dataUrl } from "../cards/hostile-pictures.js";
import { type Attack, type Caller, createCaller, runForever, runRepeatedly, type Target } from "./callers.js";
import { attacksOfMails } from "./mails.js";
import { attacksOfStrangers } from "./strangers.js";

/** Attacks by one organization within its quota. */
const attacksOfTokens: Readonly<Record<string, Attack>> = {
  "costly searches": (target) =>
    runRepeatedly(60, target, ({ get }, at) => get(`/v1/contacts?search=e&sort=name,asc&page=${at % 50}`)),

  "aborted searches": (target) =>
    runRepeatedly(60, target, ({ get }, at) =>
      get(`/v1/contacts?search=e&sort=email,asc&page=${at % 50}`, AbortSignal.timeout(50)),
    ),

  "300 concurrent searches": (target) =>
    sendBursts(({ url, headers }, at) => {
      const path = `/v1/contacts?search=e&sort=email,asc&page=${at % 50}`;
      return fetch(url + path, { headers, signal: AbortSignal.timeout(2_000) }).then((answer) =>
        answer.text(),
      );
    }, target),

  "300 concurrent searches, on new connections": (target) =>
    sendBursts(({ url, headers }, at) => {
      const path = `/v1/contacts?search=e&sort=email,asc&page=${at % 50}`;
      return new Promise((resolve) => {
        const clientRequest = request(url + path, {
          agent: false,
          headers,
          signal: AbortSignal.timeout(2_000),
        });
        clientRequest.on("response", (answer) => answer.resume()).on("error", () => {});
        clientRequest.on("close", resolve).end();
      });
    }, target),

  "bulk tagging": (target) =>
    runRepeatedly(8, target, async ({ post }) => {
      const everybody = { filter: { operator: "NOT", conditions: [{ slug: "nobody" }] } };
      await post("/v1/user-tags/everybody/users:assign", everybody);
      await post("/v1/user-tags/everybody/users:unassign", everybody);
    }),

  "replay storm": (target) => {
    const { endpoint, imported } = target.hostile;
    void enableEndpoints(target, [endpoint]).then(() =>
      runRepeatedly(10, target, ({ post }) => post(`/v1/webhook-endpoints/${endpoint}/replay`, imported)),
    );
  },

  "unread answers": (target) => openUnread(target, "/v1/events?limit=1000"),

  "unread exports": (target) => openUnread(target, "/v1/export"),

  "aborted exports": (target) =>
    runRepeatedly(60, target, ({ get }) => get("/v1/export", AbortSignal.timeout(50))),

  "bodies of very many values": ({ url, hostile }) => {
    const repeatValue = (value: string) =>
      Array.from({ length: Math.floor(1_000_000 / (value.length + 1)) }, () => value).join();
    const bodies = [
      ["/v1/users", `{"email":"eve@example.com","metadata":{"list":[${repeatValue("[[[]]]")}]}}`],
      ["/v1/templates", `{"name":"Tea","type":"LOYALTY_CARD","design":{"links":[${repeatValue("{}")}]}}`],
      ["/v1/api-tokens", `{"name":"Till","scopes":["user:read"],"allowedAddresses":[${repeatValue("{}")}]}`],
    ] as const;
    for (let worker = 0; worker < 30; worker += 1) {
      runForever(async () => {
        const [path, body] = bodies[worker % bodies.length] ?? bodies[0];
        const authorization = `Bearer ${hostile.tokens[worker % hostile.tokens.length]}`;
        const headers = { authorization, "content-type": "application/json", prefer: "handling=strict" };
        const answer = await fetch(url + path, { method: "POST", headers, body });
        await answer.text();
      });
    }
  },

  "as many tags as allowed": (target) =>
    runRepeatedly(20, target, async ({ get, post }, at) => {
      await post("/v1/user-tags", { name: `Tag ${at} ${randomUUID()}` });
      if (at % 4 === 0) await get("/v1/user-tags");
    }),

  "hanging endpoints": (target) =>
    void enableEndpoints(target, target.hostile.hanging).then(() => runRepeatedly(10, target, createUser)),

  "idempotency keys": (target) =>
    runRepeatedly(30, target, ({ post }) =>
      post(
        "/v1/user-tags/query",
        { filter: { operator: "NOT", conditions: [{ slug: "nobody" }] }, size: 100 },
        randomUUID(),
      ),
    ),

  "refresh storm": ({ url, hostile }) => {
    const { clientId, secret, refreshToken } = hostile.oauth;
    const headers = {
      authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
    };
    const body = new URLSearchParams({ grant_type: "refresh_token", refresh_token: refreshToken });
    for (let worker = 0; worker < 30; worker += 1) {
      runForever(async () => {
        const answer = await fetch(`${url}/oauth2/token`, { method: "POST", headers, body });
        await answer.text();
      });
    }
  },

  "a flood of changes": (target) => runRepeatedly(60, target, createUser),

  "pictures that take long": (target) => {
    const [width, height] = [2_048, 2_048];
    const pictures = [
      buildJpeg({ width, height, scans: 63, components: 3 }),
      buildPng({ rows: Buffer.alloc(400_000_000) }),
      buildPng({ width, height, depth: 16, color: 6, rows: Buffer.alloc(height * (8 * width + 1)) }),
      buildJpeg({ width, height, scans: 20_000 }),
    ].map(dataUrl);
    runRepeatedly(30, target, ({ post }, at) =>
      post("/v1/templates", {
        name: "Coffee card",
        type: "STAMP_CARD",
        maxStamps: 10,
        design: { strip: pictures[at % pictures.length] },
      }),
    );
  },

  "requests sent without waiting for responses": ({ url, hostile }) => {
    const { hostname, port } = new URL(url);
    for (let at = 0; at < 50; at += 1) {
      const token = hostile.tokens[at % hostile.tokens.length];
      const one = `GET /v1/user-tags HTTP/1.1\r\nHost: till\r\nAuthorization: Bearer ${token}\r\n\r\n`;
      const burst = one.repeat(90);
      const begin = () => {
        const socket = connect(Number(port), hostname, () => socket.write(burst));
        let answers = 0;
        socket.on("data", (data) => {
          answers += data.toString("latin1").split("HTTP/1.1 ").length - 1;
          if (answers < 90) return;
          answers = 0;
          socket.write(burst);
        });
        socket.on("error", () => {});
        socket.on("close", () => setTimeout(begin, 100));
      };
      begin();
    }
  },

  "requests that never finish": ({ url, hostile }) => {
    const { hostname, port } = new URL(url);
    for (let at = 0; at < 400; at += 1) {
      const socket = connect(Number(port), hostname);
      socket.on("error", () => {});
      const token = hostile.tokens[at % hostile.tokens.length];
      const head = `POST /v1/users HTTP/1.1\r\nHost: till\r\nAuthorization: Bearer ${token}\r\n`;
      socket.write(`${head}Content-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{"email":"`);
      setInterval(() => socket.writable && socket.write("e".repeat(1_000)), 500);
    }
  },
};

/** Attacks whose requests are invalid on purpose. */
export const wrongByIntent: ReadonlySet<string> = new Set([
  "bodies of very many values",
  "pictures that take long",
  "strangers' forms of a megabyte",
]);

export const attacks = { ...attacksOfTokens, ...attacksOfMails, ...attacksOfStrangers };

const createUser = ({ post }: Caller) => post("/v1/users", { email: `${randomUUID()}@example.com` });

interface AttackRequest {
  readonly url: string;
  readonly headers: { readonly authorization: string };
}

/** Sends requests on very many connections, and reads no response. */
function openUnread({ url, hostile }: Target, path: string): void {
  const { hostname, port } = new URL(url);
  for (let at = 0; at < 220; at += 1) {
    const socket = connect(Number(port), hostname);
    socket.on("error", () => {});
    const token = hostile.tokens[at % hostile.tokens.length];
    socket.write(`GET ${path} HTTP/1.1\r\nHost: till\r\nAuthorization: Bearer ${token}\r\n\r\n`);
    socket.pause();
  }
}

/** Sends 300 requests at the same time, and again each time that all of them are answered or given up. */
function sendBursts(
  ask: (asking: AttackRequest, at: number) => Promise<unknown>,
  { url, hostile }: Target,
): void {
  runForever(async () => {
    const all = Array.from({ length: 300 }, (_, at) => {
      const headers = { authorization: `Bearer ${hostile.tokens[at % hostile.tokens.length]}` };
      return ask({ url, headers }, at).catch(() => {});
    });
    await Promise.all(all);
  });
}

async function enableEndpoints(target: Target, endpoints: readonly string[]): Promise<void> {
  for (const [at, id] of endpoints.entries()) {
    await createCaller(target, at).patch(`/v1/webhook-endpoints/${id}`, { isDisabled: false });
  }
}
