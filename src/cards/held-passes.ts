import type { Step } from "../concurrency/step.js";
import type { PassHolder, StoredPass } from "../storage/passes.js";
import type { StorageReader } from "../storage/storage-adapter.js";

/** How many passes, codes or users storage takes at a time. */
export const MOST_PASSES = 1_000;

/** Which passes there are, as far as some rows of an import need to know, looked up together. */
export class HeldPasses {
  private readonly byCode = new Map<string, StoredPass>();
  /** The templates of whose passes a user has one, but for previews. */
  private readonly ofUsers = new Map<string, Set<string>>();

  static *of(
    reader: StorageReader,
    organizationId: string,
    codes: readonly string[],
    users: readonly PassHolder[],
  ): Step<HeldPasses> {
    const held = new HeldPasses();
    for (let at = 0; at < codes.length; at += MOST_PASSES) {
      const some = codes.slice(at, at + MOST_PASSES);
      for (const pass of yield* reader.passesByCode(organizationId, some)) held.add(pass);
    }
    for (let at = 0; at < users.length; at += MOST_PASSES) {
      const some = users.slice(at, at + MOST_PASSES);
      for (const pass of yield* reader.passesOfUsers(organizationId, some)) held.add(pass);
    }
    return held;
  }

  withCode(code: string): StoredPass | null {
    return this.byCode.get(code) ?? null;
  }

  has(userId: string, templateId: string): boolean {
    return this.ofUsers.get(userId)?.has(templateId) ?? false;
  }

  add(pass: StoredPass): void {
    this.byCode.set(pass.code, pass);
    if (pass.isPreviewPass) return;
    const templates = this.ofUsers.get(pass.userId) ?? new Set();
    this.ofUsers.set(pass.userId, templates.add(pass.templateId));
  }
}
