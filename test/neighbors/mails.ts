import { randomUUID } from "node:crypto";
import { type Attack, runRepeatedly } from "./callers.js";
import type { RelayState } from "./relay.js";

/** Tens of thousands of pass mails wait, and each call queues another one, or is refused as one too many. */
const floodMails: Attack = (target) => {
  const { template, passes } = target.hostile.mailed;
  runRepeatedly(30, target, ({ post }, at) =>
    at % 2 === 0
      ? post(`/v1/walletpasses/${passes[at % passes.length]}/notify`, {})
      : post(`/v1/templates/${template}/walletpasses`, {
          user: { email: `${randomUUID()}@example.com` },
          notify: true,
        }),
  );
};

/** Sends messages to everybody one after the other, reads them while they are sent, and previews a draft. */
const sendMessages: Attack = (target) => {
  const { drafts } = target.hostile.mailed;
  const [draftToKeep, ...draftsToSend] = drafts;
  runRepeatedly(16, target, ({ get, post }, at) => {
    const id = draftsToSend[at % draftsToSend.length];
    switch (at % 4) {
      case 0:
        return post(`/v1/messages/${id}/send`, {});
      case 1:
        return post(`/v1/messages/${draftToKeep}/preview`, {});
      case 2:
        return get(`/v1/messages/${id}/deliveries?status=PENDING&size=200`);
      default:
        return get("/v1/messages?size=200");
    }
  });
};

export const attacksOfMails: Readonly<Record<string, Attack>> = {
  "messages to everybody": sendMessages,
  "messages to everybody and a dead mail server": sendMessages,
  "mails and a dead mail server": floodMails,
  "mails and a slow mail server": floodMails,
};

/** The state of the mail server during an attack. */
export const relayStates: Readonly<Record<string, RelayState>> = {
  "messages to everybody": "well",
  "messages to everybody and a dead mail server": "dead",
  "mails and a dead mail server": "dead",
  "mails and a slow mail server": "slow",
};
