import type { UserTag } from "../../../../src/resources/tag.js";
import { get, post } from "../app/call.js";

/** The tags that rows of a file name, by slug or name. */
export class ImportTags {
  private known: Promise<UserTag[]> | null = null;
  private readonly made = new Map<string, Promise<UserTag>>();

  /** @param isMaking whether tags that do not exist are made, each with the text that names it first. */
  constructor(private readonly isMaking: boolean) {}

  /** The slug of a tag; `null` when there is none. @throws {CallError} */
  async slugOf(text: string): Promise<string | null> {
    this.known ??= get<UserTag[]>("/v1/user-tags");
    const tags = await this.known.catch((error: unknown) => {
      this.known = null;
      throw error;
    });
    const name = text.toLowerCase();
    const found =
      tags.find(({ slug }) => slug === text) ?? tags.find((tag) => tag.name.toLowerCase() === name);
    if (found !== undefined) return found.slug;
    return this.isMaking ? (await this.make(text, name)).slug : null;
  }

  private make(text: string, name: string): Promise<UserTag> {
    const before = this.made.get(name);
    if (before !== undefined) return before;
    const making = post<UserTag>("/v1/user-tags", { name: text });
    this.made.set(name, making);
    making.catch(() => this.made.delete(name));
    return making;
  }
}
