import { offsetOf, type Page } from "../resources/page.js";
import { parseSegmentQuery, type SegmentQuery, scopesOfLeaves } from "../resources/segment-filter.js";
import { type User, userOf } from "../resources/user.js";
import { UseCases } from "../tenant/use-cases.js";
import { matching } from "./matching.js";
import { hasBehaviour } from "./plan.js";

/** The users whom combinations of tags and behaviour make. */
export class Segments extends UseCases {
  /**
   * The users whom a filter matches now, oldest first: one page, and the exact total of one and the same state. Days are
   * those of the organization's time zone.
   * @param input `page` from 0; `size` from 0, for the total alone, to 100, 20 unless given.
   * @throws {LoyaltyError} `validation_failed` and `wrong_param_type` by the paths of a filter's leaves; `access_denied`
   *   without `segment:read`, or naming the first scope that the caller lacks of what the leaves read.
   */
  async query(input: SegmentQuery): Promise<Page<User>> {
    const { tenant } = this;
    const { organizationId } = tenant;
    const { filter, page, size } = parseSegmentQuery(input);
    tenant.require(scopesOfLeaves(filter));
    const question = { organizationId, filter, at: tenant.now() };
    return tenant.read(function* (reader) {
      const { total, ordinals } = yield* matching(reader, question, offsetOf({ page, size }), size);
      const users = yield* reader.usersByOrdinal(organizationId, ordinals);
      const totalPages = size === 0 ? 0 : Math.ceil(total / size);
      return { content: users.map(userOf), totalElements: total, totalPages, number: page, size };
    }, hasBehaviour(filter));
  }
}
