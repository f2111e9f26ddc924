import type { CompiledQuery } from "kysely";
import type { Session } from "../session/session.js";
import type { Pending } from "./pending.js";

/** A transaction's session with what it is about to write. */
export class WriteSession implements Session {
  constructor(
    private readonly session: Session,
    readonly pending: Pending,
  ) {}

  get mark(): object | null {
    return this.session.mark;
  }

  all<Row>(query: CompiledQuery<Row>): Promise<Row[]> {
    return this.session.all(query);
  }

  change(statement: CompiledQuery<unknown>): Promise<number> {
    return this.session.change(statement);
  }

  changeEach(statements: readonly CompiledQuery<unknown>[]): Promise<number[]> {
    return this.session.changeEach(statements);
  }
}
