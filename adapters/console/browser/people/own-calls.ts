import type { Person, PersonSession } from "../../../../src/resources/person.js";
import { consoleAnswer } from "../api/console-answer.js";

/** The person who signed in, and where they are signed in. */
interface Own {
  readonly person: Person;
  readonly sessions: readonly (PersonSession & { readonly isCurrent: boolean })[];
}

/** What somebody who signed in with an email asks of the console about themselves. It takes no scope. */
export const own = {
  get: async (): Promise<Own> => JSON.parse(await consoleAnswer("GET", "people/me")),
  endSession: async (id: string): Promise<void> => {
    await consoleAnswer("DELETE", `people/me/sessions/${encodeURIComponent(id)}`);
  },
};
