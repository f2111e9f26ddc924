import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { classifyFailure, type SmtpStep } from "../../../adapters/delivery/mail/smtp/replies.js";

const dead = { fault: "address", isPermanent: true };
const putOff = { fault: "address", isPermanent: false };
const messageRejection = { fault: "message", isPermanent: true };
const later = { fault: "message", isPermanent: false };
const ours = { fault: "transport", isPermanent: false };

const rows: [SmtpStep, string, { fault: string; isPermanent: boolean }][] = [
  ["connection", "421 4.3.2 too busy", ours],
  ["connection", "535 5.7.8 credentials invalid", ours],
  ["connection", "554 5.7.1 your address is on a list", ours],
  ["sender", "550 5.7.1 sender not allowed", ours],
  ["sender", "553 5.7.1 sender not owned by user", ours],
  ["sender", "550 no such sender", ours],
  ["sender", "530 5.7.0 authentication required", ours],
  ["sender", "454 4.7.0 TLS not available", ours],
  ["sender", "421 4.7.0 closing", ours],
  ["sender", "451 4.3.0 try again", later],
  ["sender", "452 4.3.1 disk full", later],
  ["sender", "552 5.3.4 too large", messageRejection],
  ["recipient", "550 5.1.1 no such user", dead],
  ["recipient", "550-5.1.1 The account does not exist\n550 5.1.1 see there", dead],
  ["recipient", "550 5.1.10 null MX", dead],
  ["recipient", "550 no such user", dead],
  ["recipient", "553 mailbox name not allowed", dead],
  ["recipient", "550 5.7.1 blocked", messageRejection],
  ["recipient", "554 5.7.1 relay access denied", messageRejection],
  ["recipient", "552 5.2.2 mailbox full", messageRejection],
  ["recipient", "550 5.2.1 mailbox disabled", messageRejection],
  ["recipient", "551 user not local", messageRejection],
  ["recipient", "554 no", messageRejection],
  ["recipient", "550 5.1.8 sender's domain not found", ours],
  ["recipient", "450 4.1.8 sender's domain not found", ours],
  ["recipient", "530 5.7.0 must issue STARTTLS", ours],
  ["recipient", "503 need MAIL first", ours],
  ["recipient", "421 4.7.0 too many connections", ours],
  ["recipient", "450 4.2.0 greylisted", putOff],
  ["recipient", "451 4.7.1 greylisted", putOff],
  ["recipient", "452 4.2.2 mailbox full", putOff],
  ["data", "554 5.7.1 spam", messageRejection],
  ["data", "550 5.1.1 no such user", messageRejection],
  ["data", "552 too large", messageRejection],
  ["data", "451 4.3.0 try again", later],
  ["data", "421 4.3.0 closing", ours],
  ["data", "454 Throttling failure: Maximum sending rate exceeded", ours],
  ["recipient", "454 4.7.1 relay access denied", putOff],
  ["size", "", messageRejection],
];

describe("the fault of an SMTP reply", () => {
  it.each(rows)("at the %s, %s", (step, answer, expected) => {
    const code = answer === "" ? null : Number(answer.slice(0, 3));
    expect(classifyFailure({ step, code, answer, hasBegunContent: step === "data" })).toMatchObject({
      ...expected,
      isUncertain: false,
      code,
      answer,
    });
  });

  it("a connection that is lost during the envelope is a temporary failure, and not uncertain", () => {
    const failure = classifyFailure({ step: "sender", code: null, answer: "reset", hasBegunContent: false });
    expect(failure).toMatchObject({ ...later, isUncertain: false });
  });

  it("a connection that is lost after DATA leaves open whether the mail was accepted", () => {
    const failure = classifyFailure({ step: "data", code: null, answer: "reset", hasBegunContent: true });
    expect(failure).toMatchObject({ ...later, isUncertain: true });
  });

  it("only a 5xx reply to RCPT marks an address as dead", () => {
    const steps = fc.constantFrom<SmtpStep[]>("connection", "sender", "recipient", "data", "size");
    const codes = fc.option(fc.integer({ min: 200, max: 599 }), { nil: null });
    const texts = fc.oneof(
      fc.string(),
      fc.string().map((text) => `5.1.1 ${text}`),
    );
    fc.assert(
      fc.property(steps, codes, texts, fc.boolean(), (step, code, text, hasBegunContent) => {
        const answer = code === null ? text : `${code} ${text}`;
        const { fault, isPermanent, isUncertain } = classifyFailure({ step, code, answer, hasBegunContent });
        if (fault === "address" && isPermanent) {
          expect(step).toBe("recipient");
          expect(code).toBeGreaterThanOrEqual(500);
        }
        if (fault === "transport") expect(isPermanent).toBe(false);
        expect(isUncertain).toBe(code === null && hasBegunContent);
      }),
    );
  });
});
