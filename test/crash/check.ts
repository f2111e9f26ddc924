import assert from "node:assert/strict";
import type { LoyaltyEvent, Organization } from "loyalty-kit";

/** The events of one tag. */
interface History {
  readonly slug: string;
  readonly assigned: Set<string>;
  readonly unassigned: Set<string>;
  deleted: boolean;
}

/** Reads the events since the last check, and compares them with the existing tags. */
export class Check {
  private after = "0";
  private readonly histories = new Map<string, History>();

  /** @throws {AssertionError} if a tag neither exists as its events say nor is gone with one event for each user. */
  async run({ tags, events }: Organization): Promise<{ existing: number; goneCount: number }> {
    for (;;) {
      const { content, next } = await events.list({ after: this.after, limit: 1_000 });
      for (const event of content) this.recordEvent(event);
      if (next === this.after) break;
      this.after = next;
    }
    assert.deepEqual((await tags.verifyIndex()).wrong, [], "every tag set is correct");
    const existingTags = await tags.list();
    const listedIds = new Set(existingTags.map(({ id }) => id));
    let goneCount = 0;
    for (const [id, { slug, assigned, unassigned, deleted }] of this.histories) {
      assert.equal(listedIds.has(id), !deleted, `${slug} exists, or its deletion was emitted`);
      if (deleted) {
        assert.deepEqual(unassigned, assigned, `each user who had ${slug} has one event`);
        goneCount += 1;
        // A deleted tag that has been checked can't change again.
        this.histories.delete(id);
        continue;
      }
      assert.equal(unassigned.size, 0, `${slug} is there, so nobody lost it`);
      const holders = new Set<string>();
      for await (const user of tags.users(slug)) holders.add(user.id);
      assert.deepEqual(holders, assigned, `the users with ${slug} are those whose events say so`);
    }
    assert.equal(existingTags.length, this.histories.size, "every existing tag was reported by an event");
    return { existing: existingTags.length, goneCount };
  }

  private recordEvent({ type, data }: LoyaltyEvent): void {
    if (type === "user_tag.created" && "slug" in data) {
      const history = { slug: data.slug, assigned: new Set<string>(), unassigned: new Set<string>() };
      assert.ok(!this.histories.has(data.id), "a tag is created once");
      this.histories.set(data.id, { ...history, deleted: false });
    } else if (type === "user_tag.deleted" && "slug" in data) {
      const history = this.getHistory(data.id);
      assert.ok(!history.deleted, "a deletion is emitted once");
      history.deleted = true;
    } else if (type === "user_tag.assigned" && "userTag" in data && "userId" in data) {
      addOnce(this.getHistory(data.userTag.id).assigned, data.userId);
    } else if (type === "user_tag.unassigned" && "userTag" in data && "userId" in data) {
      addOnce(this.getHistory(data.userTag.id).unassigned, data.userId);
    }
  }

  private getHistory(id: string): History {
    const history = this.histories.get(id);
    assert.ok(history !== undefined, "an event names an existing tag");
    return history;
  }
}

function addOnce(users: Set<string>, userId: string): void {
  assert.ok(!users.has(userId), "no change of an assignment is emitted twice");
  users.add(userId);
}
