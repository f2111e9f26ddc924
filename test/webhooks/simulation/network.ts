import type { SendWebhook, WebhookRequest } from "../../../adapters/delivery/webhooks/worker/attempt.js";
import type { VirtualTime } from "./virtual-time.js";

/** The state of a receiver. */
export type Mood =
  | "well"
  | "slow"
  | "failing"
  | "busy"
  | "hanging"
  | "resetting"
  | "redirecting"
  | "fickle"
  | "gone";

/** A request as its receiver saw it. */
export interface Request {
  readonly host: string;
  /** Its `webhook-id`. */
  readonly id: string;
  readonly body: string;
  readonly at: number;
  /** Time when it was answered or given up; `null` if its sender died before. */
  endedAt: number | null;
  status: number | null;
}

type Random = (bound: number) => number;

const SECOND = 1_000;

/** One in this many responses kills its process before the process knows of the response. */
const DEADLY_ANSWERS = 100;

/** Receivers by host, whose moods change over time. */
export class Network {
  readonly requests: Request[] = [];

  /** @param getMood returns the current mood of a host's receiver. */
  constructor(
    private readonly time: VirtualTime,
    private readonly random: Random,
    private readonly getMood: (host: string) => Mood,
  ) {}

  /** @param kill ends the process that sends it, which then never receives a response. */
  async send({ url, headers, body, signal }: WebhookRequest, kill: () => void): ReturnType<SendWebhook> {
    const request: Request = {
      host: new URL(url).hostname,
      id: headers["webhook-id"] ?? "",
      body,
      at: this.time.now,
      endedAt: null,
      status: null,
    };
    this.requests.push(request);
    const answer = await this.answerRequest(request, signal, this.getMood(request.host));
    if (this.random(DEADLY_ANSWERS) === 0) kill();
    return answer;
  }

  private async answerRequest(request: Request, signal: AbortSignal, mood: Mood): ReturnType<SendWebhook> {
    signal.addEventListener("abort", () => {
      request.endedAt ??= this.time.now;
    });
    const { random } = this;
    switch (mood) {
      case "well":
        return this.answerAfter(5 + random(100), request, signal, 200);
      case "slow":
        return this.answerAfter(SECOND + random(13 * SECOND), request, signal, 200);
      case "failing":
        return this.answerAfter(5 + random(100), request, signal, 500);
      case "busy":
        return this.answerAfter(5 + random(100), request, signal, 503, random(600) * SECOND);
      case "redirecting":
        return this.answerAfter(5 + random(100), request, signal, 302);
      case "gone":
        return this.answerAfter(5 + random(100), request, signal, 410);
      case "resetting":
        await this.time.pass(random(50));
        request.endedAt = this.time.now;
        throw new Error("read ECONNRESET");
      case "hanging":
        return new Promise<never>(() => {});
      case "fickle": {
        const moods = ["well", "slow", "failing", "busy", "hanging", "resetting"] as const;
        return this.answerRequest(request, signal, moods[random(moods.length)] ?? "well");
      }
    }
  }

  private async answerAfter(
    ms: number,
    request: Request,
    signal: WebhookRequest["signal"],
    status: number,
    retryAfter: number | null = null,
  ): ReturnType<SendWebhook> {
    await this.time.pass(ms);
    if (!signal.aborted) {
      request.endedAt = this.time.now;
      request.status = status;
    }
    return { status, retryAfter, answer: "" };
  }
}
