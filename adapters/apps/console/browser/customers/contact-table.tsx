import type { Template } from "../../../../../src/cards/schema.js";
import type { Contact } from "../../../../../src/customers/contact-schema.js";
import type { UserTag } from "../../../../../src/tags/schema.js";
import { hasScopes } from "../api/session.js";
import { Link } from "../app/router.js";
import { customers as words } from "../words/en/customers.js";
import { dayText } from "../words/en/forms.js";
import { type ColumnName, columnKinds } from "./columns.js";
import { findAddress, formatCustomerName } from "./customer-name.js";
import type { Sort, SortField } from "./list-query.js";

/** Maximum number of tags shown in a row. */
const MAX_TAGS = 3;

interface ContactTableProps {
  readonly contacts: readonly Contact[];
  readonly columns: readonly ColumnName[];
  readonly templates: readonly Template[];
  readonly tags: readonly UserTag[];
  readonly sort: Sort;
  readonly selected: ReadonlySet<string>;
  readonly onSort: (sort: Sort) => void;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}

/** A table of one page of customers. The user can sort the table and select customers. */
export function ContactTable({
  contacts,
  columns,
  sort,
  selected,
  onSort,
  onSelect,
  ...lookups
}: ContactTableProps) {
  const [field, direction] = sort.split(",");
  const renderCheckbox = (label: string, ids: readonly string[]) => {
    const isOn = ids.every((id) => selected.has(id));
    const toggle = () => {
      const next = new Set(selected);
      for (const id of ids) isOn ? next.delete(id) : next.add(id);
      onSelect(next);
    };
    return (
      <label class="pick-area">
        <input type="checkbox" aria-label={label} checked={isOn} onChange={toggle} />
      </label>
    );
  };
  const renderHeading = (name: string, text: string, by: SortField | null) => {
    const isSorted = by !== null && by === field;
    return (
      <th
        key={name}
        scope="col"
        class={name}
        {...(isSorted && {
          "aria-sort": direction === "asc" ? ("ascending" as const) : ("descending" as const),
        })}
      >
        {by === null ? (
          text
        ) : (
          <button
            type="button"
            class="sort-by"
            onClick={() => onSort(`${by},${isSorted && direction === "asc" ? "desc" : "asc"}`)}
          >
            {text} <span aria-hidden="true">{isSorted ? (direction === "asc" ? "↑" : "↓") : ""}</span>
          </button>
        )}
      </th>
    );
  };
  return (
    <div class="panel scroll-x">
      <table class="contacts">
        <thead>
          <tr>
            {hasScopes("user_tag:write") && (
              <th scope="col" class="pick">
                {renderCheckbox(
                  words.selectPage,
                  contacts.map(({ id }) => id),
                )}
              </th>
            )}
            {renderHeading("name", words.columns.name, "name")}
            {columns.map((name) => renderHeading(name, words.columns[name], columnKinds[name].sort))}
          </tr>
        </thead>
        <tbody>
          {contacts.map((contact, index) => (
            // Keyed by position, so that rows are reused when the results change.
            <tr key={index}>
              {hasScopes("user_tag:write") && (
                <td class="pick">
                  {renderCheckbox(words.select(formatCustomerName(contact)), [contact.id])}
                </td>
              )}
              <td class="name">
                <Link to={`/customers/${encodeURIComponent(contact.id)}`}>
                  <bdi>{formatCustomerName(contact)}</bdi>
                </Link>
              </td>
              {columns.map((name) => (
                <td key={name} class={name}>
                  <ContactCell name={name} contact={contact} {...lookups} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface ContactCellProps {
  readonly name: ColumnName;
  readonly contact: Contact;
  readonly templates: readonly Template[];
  readonly tags: readonly UserTag[];
}

/** A cell in the customer list. The cell is empty if its value is unknown. */
function ContactCell({ name, contact, templates, tags }: ContactCellProps) {
  const { phone, createdAt, summary } = contact;
  const cards = summary?.cards ?? null;
  // Phones show no headings.
  const renderLabel = (text: string) => <span class="cell-label quiet">{text} </span>;
  switch (name) {
    case "email":
      return <bdi>{findAddress(contact)}</bdi>;
    case "phone":
      return <bdi class="quiet">{phone}</bdi>;
    case "stamps":
      return contact.stampProgress?.length ? (
        <>
          {renderLabel(words.rowLabels.stamps)}
          <Progress contact={contact} templates={templates} />
        </>
      ) : null;
    case "rewards":
      return cards !== null && cards.rewardsAvailable > 0 ? (
        <span class="chip good">{words.rewardsWaiting(cards.rewardsAvailable)}</span>
      ) : null;
    case "visit":
      return (
        cards && (
          <>
            {renderLabel(words.rowLabels.visit)}
            <span class="quiet">{formatVisit(cards.lastVisitAt)}</span>
          </>
        )
      );
    case "wallet":
      return cards?.isInWallet === true ? <span class="chip">{words.inWallet}</span> : null;
    case "tags":
      return <Tags slugs={summary?.tags ?? []} tags={tags} />;
    default:
      return <span class="quiet number">{dayText(createdAt)}</span>;
  }
}

/** Formats the day of a visit in the device's time zone. */
function formatVisit(at: string | null): string {
  if (at === null) return words.never;
  return dayText(at) === dayText(new Date().toISOString()) ? words.today : dayText(at);
}

interface TagsProps {
  readonly slugs: readonly string[];
  /** All of the organization's tags, used to look up names and colors. */
  readonly tags: readonly UserTag[];
}

function Tags({ slugs, tags }: TagsProps) {
  const hiddenTags = slugs.slice(MAX_TAGS);
  const findTagName = (slug: string) => tags.find((tag) => tag.slug === slug)?.name ?? slug;
  return (
    <>
      {slugs.slice(0, MAX_TAGS).map((slug) => (
        <span key={slug} class="chip">
          <span class="dot" style={{ "--dot": tags.find((tag) => tag.slug === slug)?.color }} />
          <bdi>{findTagName(slug)}</bdi>
        </span>
      ))}
      {hiddenTags.length > 0 && (
        <span class="chip number" title={hiddenTags.map(findTagName).join(", ")}>
          +{hiddenTags.length}
        </span>
      )}
    </>
  );
}

/** Shows the stamps of each card, with the card's name on hover. */
function Progress({
  contact: { stampProgress = [] },
  templates,
}: Pick<ContactCellProps, "contact" | "templates">) {
  return stampProgress.slice(0, 3).map(({ passId, templateId, currentStamps, maxStamps }) => (
    <span
      key={passId}
      class="chip number"
      title={templates.find((template) => template.id === templateId)?.name ?? ""}
    >
      {currentStamps}/{maxStamps}
    </span>
  ));
}
