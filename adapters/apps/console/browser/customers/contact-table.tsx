import type { Template } from "../../../../../src/cards/schema.js";
import type { Contact } from "../../../../../src/customers/contact-schema.js";
import type { UserTag } from "../../../../../src/tags/schema.js";
import { hasScopes } from "../api/session.js";
import { Link } from "../app/router.js";
import { customers as words } from "../words/en/customers.js";
import { type ColumnName, columnKinds } from "./columns.js";
import { ContactCell } from "./contact-cell.js";
import { nameOf } from "./customer-name.js";
import type { Sort, SortField } from "./list-query.js";

interface ContactTableProps {
  readonly contacts: readonly Contact[];
  readonly columns: readonly ColumnName[];
  readonly templates: readonly Template[];
  readonly tags: readonly UserTag[];
  /** The current sort order, or `null` if the list can't be sorted. */
  readonly sort: Sort | null;
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
  ...known
}: ContactTableProps) {
  const [field, direction] = sort?.split(",") ?? [];
  const selects = (label: string, ids: readonly string[]) => {
    const isOn = ids.every((id) => selected.has(id));
    const toggle = () => {
      const next = new Set(selected);
      for (const id of ids) isOn ? next.delete(id) : next.add(id);
      onSelect(next);
    };
    return <input type="checkbox" aria-label={label} checked={isOn} onChange={toggle} />;
  };
  const heading = (name: string, text: string, by: SortField | null) => {
    const isOwn = by !== null && by === field;
    return (
      <th
        key={name}
        scope="col"
        class={name}
        {...(isOwn && {
          "aria-sort": direction === "asc" ? ("ascending" as const) : ("descending" as const),
        })}
      >
        {by === null || sort === null ? (
          text
        ) : (
          <button
            type="button"
            class="sort-by"
            onClick={() => onSort(`${by},${isOwn && direction === "asc" ? "desc" : "asc"}`)}
          >
            {text} <span aria-hidden="true">{isOwn ? (direction === "asc" ? "↑" : "↓") : ""}</span>
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
                {selects(
                  words.selectPage,
                  contacts.map(({ id }) => id),
                )}
              </th>
            )}
            {heading("name", words.columns.name, "name")}
            {columns.map((name) => heading(name, words.columns[name], columnKinds[name].sort))}
          </tr>
        </thead>
        <tbody>
          {contacts.map((contact, at) => (
            // Keyed by position, so that rows are reused when the results change.
            <tr key={at}>
              {hasScopes("user_tag:write") && (
                <td class="pick">{selects(words.select(nameOf(contact)), [contact.id])}</td>
              )}
              <td class="name">
                <Link to={`/customers/${encodeURIComponent(contact.id)}`}>
                  <bdi>{nameOf(contact)}</bdi>
                </Link>
              </td>
              {columns.map((name) => (
                <td key={name} class={name}>
                  <ContactCell name={name} contact={contact} {...known} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
