import mitt, { type Emitter } from "mitt";
import { Pace } from "../concurrency/pace.js";
import type { WalletPass } from "../resources/pass.js";
import type { StampCard } from "../resources/stamps.js";
import type { UserTag } from "../resources/tag.js";
import type { Template } from "../resources/template.js";
import type { User } from "../resources/user.js";

export interface UserTagChange {
  readonly userId: string;
  readonly userTag: UserTag;
}

export interface DeletedUser {
  readonly id: string;
  readonly object: "user";
}

export interface RevokedPass {
  readonly id: string;
  readonly object: "wallet_pass";
  readonly userId: string;
  readonly templateId: string;
}

/** Every kind of event and its data: the resource as the interface shows it after the change. */
export interface EventData {
  "user.created": User;
  "user.updated": User;
  "user.deleted": DeletedUser;
  "user_tag.created": UserTag;
  "user_tag.updated": UserTag;
  "user_tag.deleted": UserTag;
  "user_tag.assigned": UserTagChange;
  "user_tag.unassigned": UserTagChange;
  "pass.created": WalletPass;
  "pass.installed": WalletPass;
  "pass.uninstalled": WalletPass;
  "pass.revoked": RevokedPass;
  "stamp.added": StampCard;
  "stamp.removed": StampCard;
  "stamp.set": StampCard;
  "stamp.reset": StampCard;
  /** Once for each time that the card was filled. */
  "stamp_card.completed": StampCard;
  "stamp_card.redeemed": StampCard;
  "template.created": Template;
  "template.updated": Template;
  "template.deleted": Template;
}

export type EventType = keyof EventData;

const known: Readonly<Record<EventType, true>> = {
  "user.created": true,
  "user.updated": true,
  "user.deleted": true,
  "user_tag.created": true,
  "user_tag.updated": true,
  "user_tag.deleted": true,
  "user_tag.assigned": true,
  "user_tag.unassigned": true,
  "pass.created": true,
  "pass.installed": true,
  "pass.uninstalled": true,
  "pass.revoked": true,
  "stamp.added": true,
  "stamp.removed": true,
  "stamp.set": true,
  "stamp.reset": true,
  "stamp_card.completed": true,
  "stamp_card.redeemed": true,
  "template.created": true,
  "template.updated": true,
  "template.deleted": true,
};

/** Every kind of event. */
export const eventTypes: readonly EventType[] = Object.keys(known).filter(isEventType);

export function isEventType(text: string): text is EventType {
  return Object.hasOwn(known, text);
}

/** What happened to one organization, told once it is committed. */
export interface LoyaltyEvent<K extends EventType = EventType> {
  readonly id: string;
  readonly type: K;
  readonly timestamp: string;
  readonly data: EventData[K];
}

/** Hears of a committed change. What it throws or rejects with goes to `onError` and harms nothing else. */
export type EventListener<K extends EventType = EventType> = (
  event: LoyaltyEvent<K>,
  context: { readonly organizationId: string },
) => unknown;

/** Told what a listener threw. */
export type ErrorListener = (error: unknown) => void;

/** A listener that never fails itself: what was done must not look undone because telling of an error failed. */
export function unfailing(listener: ErrorListener): ErrorListener {
  return (error) => {
    try {
      listener(error);
    } catch (failure) {
      console.error(failure);
    }
  };
}

type Told = Record<EventType, { event: LoyaltyEvent; organizationId: string }>;

/** The events of one change. */
interface Telling {
  readonly organizationId: string;
  readonly events: readonly LoyaltyEvent[];
  readonly done: () => void;
}

/** Delivers events to listeners in this process, in the order in which they are given. */
export class EventEmitter {
  private readonly emitter: Emitter<Told> = mitt<Told>();
  private readonly waiting: Telling[] = [];
  private isTelling = false;
  private told: Promise<void> = Promise.resolve();

  constructor(private readonly onError: ErrorListener) {}

  /** @returns a function that ends the subscription. */
  on<K extends EventType>(type: K, listener: EventListener<K>): () => void {
    const handler = ({ event, organizationId }: Told[K]): void => {
      // mitt would let one failing listener silence the others.
      try {
        if (!isOf(type, event)) return;
        Promise.resolve(listener(event, { organizationId })).catch(this.onError);
      } catch (error) {
        this.onError(error);
      }
    };
    this.emitter.on(type, handler);
    return () => this.emitter.off(type, handler);
  }

  /** Whether anyone listens to this kind. */
  hears(type: EventType): boolean {
    return (this.emitter.all.get(type)?.length ?? 0) > 0;
  }

  /**
   * Tells the events of a change, with turns for others in between when they take long, and resolves then. While those
   * of another change are being told they only wait behind them: it resolves at once, and nobody waits for these.
   */
  tell(organizationId: string, events: readonly LoyaltyEvent[]): Promise<void> {
    if (events.length === 0) return Promise.resolve();
    return new Promise((done) => {
      this.waiting.push({ organizationId, events, done });
      if (this.isTelling) done();
      else this.told = this.tellWaiting();
    });
  }

  /** Resolves when every event is told. */
  settled(): Promise<void> {
    return this.told;
  }

  private async tellWaiting(): Promise<void> {
    this.isTelling = true;
    const pace = new Pace();
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
      const { organizationId, events, done } = next;
      for (const event of events) {
        if (pace.isTurnDue) await pace.turn();
        this.emitter.emit(event.type, { event, organizationId });
      }
      done();
    }
    this.isTelling = false;
  }
}

function isOf<K extends EventType>(type: K, event: LoyaltyEvent): event is LoyaltyEvent<K> {
  return event.type === type;
}
