import type { TagFilter } from "loyalty-kit";
import { type TagName, tagNumber } from "./customers.js";

/** A tag filter, and the ways to count its users in SQL; the page is always best found by walking users in order. */
export interface Filter {
  readonly label: string;
  readonly filter: TagFilter;
  readonly counts: Readonly<Record<string, string>>;
  readonly where: string;
  /** For a rare tag the page is best found by walking the tag instead. */
  readonly from?: string;
  /** The minimum speed-up against the best SQL at 200,000 users and at 1,000,000. */
  readonly minRatios: readonly [number, number];
}

export const tagFilters: readonly Filter[] = [
  {
    label: "nested, six leaves",
    filter: {
      operator: "AND",
      conditions: [{ slug: "most" }],
      filters: [
        { operator: "OR", conditions: [{ slug: "many" }, { slug: "some" }] },
        { operator: "NOT", conditions: [{ slug: "few" }] },
        { operator: "OR", conditions: [{ slug: "tenth" }, { slug: "twentieth" }] },
      ],
    },
    counts: {
      "EXISTS per user": `select count(*) as total from users u where (${hasTagSql("many")} or ${hasTagSql("some")})
        and not ${hasTagSql("few")} and (${hasTagSql("tenth")} or ${hasTagSql("twentieth")}) and ${hasTagSql("most")}`,
      "driven by the rarest": `select count(*) as total
        from (select user as ordinal from user_tags where tag = ${tagNumber("tenth")}
          union select user from user_tags where tag = ${tagNumber("twentieth")}) u
        where ${hasTagSql("most")} and not ${hasTagSql("few")} and (${hasTagSql("many")} or ${hasTagSql("some")})`,
      "GROUP BY user": `select count(*) as total from (select user from user_tags
        where tag in (${(["many", "some", "few", "tenth", "twentieth", "most"] as const).map(tagNumber)})
        group by user having max(tag = ${tagNumber("most")}) and not max(tag = ${tagNumber("few")})
          and max(tag in (${tagNumber("many")}, ${tagNumber("some")}))
          and max(tag in (${tagNumber("tenth")}, ${tagNumber("twentieth")})))`,
    },
    where: `(${hasTagSql("many")} or ${hasTagSql("some")}) and not ${hasTagSql("few")}
      and (${hasTagSql("tenth")} or ${hasTagSql("twentieth")}) and ${hasTagSql("most")}`,
    minRatios: [20, 60],
  },
  {
    label: "NOT of a large tag",
    filter: { operator: "NOT", conditions: [{ slug: "half" }] },
    counts: {
      "NOT EXISTS per user": `select count(*) as total from users u where not ${hasTagSql("half")}`,
      "all less the tag's": `select (select count(*) from users)
        - (select count(*) from user_tags where tag = ${tagNumber("half")}) as total`,
    },
    where: `not ${hasTagSql("half")}`,
    minRatios: [20, 60],
  },
  {
    label: "AND of two large tags",
    filter: { operator: "AND", conditions: [{ slug: "half" }, { slug: "many" }] },
    counts: {
      join: `select count(*) as total from user_tags a join user_tags b on b.user = a.user and b.tag = ${tagNumber("half")}
        where a.tag = ${tagNumber("many")}`,
      INTERSECT: `select count(*) as total from (select user from user_tags where tag = ${tagNumber("half")}
        intersect select user from user_tags where tag = ${tagNumber("many")})`,
    },
    where: `${hasTagSql("half")} and ${hasTagSql("many")}`,
    minRatios: [20, 60],
  },
  {
    label: "a rare tag",
    filter: { operator: "AND", conditions: [{ slug: "rare" }] },
    counts: { "the tag's index": `select count(*) as total from user_tags where tag = ${tagNumber("rare")}` },
    from: `user_tags t join users u on u.ordinal = t.user`,
    where: `t.tag = ${tagNumber("rare")}`,
    minRatios: [1 / 3, 1 / 3],
  },
];

function hasTagSql(tag: TagName): string {
  return `exists (select 1 from user_tags t where t.tag = ${tagNumber(tag)} and t.user = u.ordinal)`;
}
