import { foldEmail } from "../../../../src/base/values/email.js";
import type { ConsoleServer } from "../../console/index.js";

/** Parses a list of operators: emails of staff, and IDs of API tokens. Returns `null` if an entry is neither. */
export function parseOperators(text: string): readonly string[] | null {
  const operators = text.split(",").map((part) => part.trim());
  return operators.every((each) => /^(?:[^\s@]+@[^\s@]+|akt_[\w-]+)$/.test(each)) ? operators : null;
}

/**
 * Returns a function that tests whether a user of the console is on a list of operators. The owner of any organization can add a
 * person with an operator's email, and the command line and the library can sign that person in without an email. So a person
 * counts only after they have signed in with an emailed link.
 */
export function createOperatorTest(operators: readonly string[]): ConsoleServer["isOperator"] {
  const operatorNames = new Set(operators.map((each) => (each.includes("@") ? foldEmail(each) : each)));
  return ({ person, actorId }) =>
    person === null
      ? actorId !== null && operatorNames.has(actorId)
      : person.isEmailProven && operatorNames.has(foldEmail(person.email));
}
