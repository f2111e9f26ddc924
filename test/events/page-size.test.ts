import { describe, expect, it } from "vitest";
import { openAcme } from "../kit/acme.js";

describe("a page of events", () => {
  /** Reads the list page by page, and returns the number of items on each. */
  const readPages = async (query: { types?: ["user.created"] }) => {
    const { acme } = openAcme();
    const metadata = { text: "x".repeat(16_000) };
    const count = 200;
    for (let at = 0; at < count; at += 1) await acme.users.create({ email: `${at}@example.com`, metadata });
    const emails: unknown[] = [];
    const lengths: number[] = [];
    for (let after = "0"; ; ) {
      const { content, next } = await acme.events.list({ ...query, after, limit: 1_000 });
      if (content.length === 0) break;
      for (const { data } of content) emails.push("email" in data ? data.email : null);
      lengths.push(JSON.stringify(content).length);
      after = next;
    }
    expect(emails).toEqual(Array.from({ length: count }, (_, at) => `${at}@example.com`));
    return lengths;
  };

  it("has about 1 MiB at most, and the next page continues after it", async () => {
    const lengths = await readPages({});
    expect(Math.max(...lengths)).toBeLessThan(1.1 * 1_048_576);
    expect(lengths).toHaveLength(4);
  });

  it("has the same limit when it is filtered by type", async () => {
    const lengths = await readPages({ types: ["user.created"] });
    expect(Math.max(...lengths)).toBeLessThan(1.1 * 1_048_576);
    expect(lengths).toHaveLength(4);
  });
});
