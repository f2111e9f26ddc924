import { randomUUID } from "node:crypto";
import { Authenticator } from "../kit/authenticator.js";
import type { PublicPaths } from "./public-paths.js";
import { PUBLIC_URL } from "./wallet-setup.js";

const requestInit = {
  method: "POST",
  headers: { "content-type": "application/json", "x-loyalty-console": "1", "sec-fetch-site": "same-origin" },
};

export const asksForChallenge = { path: "/console/people/passkey/options", ...requestInit, body: "{}" };

/** Creates invalid answers to a challenge. @param challenge the options that a browser gets for its device to sign. */
export function createWrongAnswers(challenge: string, passkey: PublicPaths["passkey"]) {
  const authenticator = new Authenticator(PUBLIC_URL);
  const createAnswer = (deviation: PublicPaths["passkey"]) => {
    const credential = authenticator.get(JSON.parse(challenge), deviation);
    return {
      path: "/console/people/passkey",
      ...requestInit,
      body: JSON.stringify({ stay: false, credential }),
    };
  };
  return {
    /** Of an unknown person. */
    ofNobody: () => createAnswer({ userHandle: Buffer.from(randomUUID()).toString("base64url") }),
    /** Of an existing passkey, but signed by another one. */
    forged: createAnswer(passkey),
  };
}
