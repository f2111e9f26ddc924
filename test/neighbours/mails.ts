import { randomUUID } from "node:crypto";
import { type Attack, repeatedly } from "./callers.js";
import type { RelayState } from "./relay.js";

/** Tens of thousands of pass mails wait, and each call queues another one, or is told that it was one too many. */
const flood: Attack = (target) => {
  const { template, passes } = target.hostile.mailed;
  repeatedly(30, target, ({ post }, at) =>
    at % 2 === 0
      ? post(`/v1/walletpasses/${passes[at % passes.length]}/notify`, {})
      : post(`/v1/templates/${template}/walletpasses`, {
          user: { email: `${randomUUID()}@example.com` },
          notify: true,
        }),
  );
};

export const attacksOfMails: Readonly<Record<string, Attack>> = {
  "mails and a dead mail server": flood,
  "mails and a slow mail server": flood,
};

/** What the mail server does during an attack. */
export const relayStates: Readonly<Record<string, RelayState>> = {
  "mails and a dead mail server": "dead",
  "mails and a slow mail server": "slow",
};
