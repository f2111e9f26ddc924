import type { ComponentChildren } from "preact";
import type { Contact } from "../../../../src/resources/contact.js";
import type { Template } from "../../../../src/resources/template.js";
import { shownEmail } from "../../../../src/values/joined-address.js";
import { may } from "../api/session.js";
import { Link } from "../app/router.js";
import { dayText } from "../parts/words.js";
import { nameOf, type Sort, type SortField } from "./contact-list.js";

interface ContactTableProps {
  readonly contacts: readonly Contact[];
  readonly templates: readonly Template[];
  readonly sort: Sort;
  readonly selected: ReadonlySet<string>;
  readonly onSort: (sort: Sort) => void;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}

interface Column {
  /** The class of its cells, and the field that it is sorted by. */
  readonly name: SortField | "stamps";
  readonly text: string;
  readonly class?: string;
  readonly cell: (contact: Contact, templates: readonly Template[]) => ComponentChildren;
}

const columns: readonly Column[] = [
  {
    name: "name",
    text: "Name",
    cell: (contact) => (
      <Link to={`/customers/${encodeURIComponent(contact.id)}`}>
        <bdi>{nameOf(contact)}</bdi>
      </Link>
    ),
  },
  {
    name: "email",
    text: "Email",
    cell: ({ email, phone }) => (
      <>
        <bdi>{shownEmail(email)}</bdi>
        {phone !== null && <bdi class="quiet phone">{phone}</bdi>}
      </>
    ),
  },
  { name: "stamps", text: "Stamps", class: "number", cell: progressOf },
  {
    name: "createdAt",
    text: "Added",
    class: "quiet number",
    cell: ({ createdAt }) => dayText(createdAt),
  },
];

/** A page of customers, to be sorted and selected. */
export function ContactTable({ contacts, templates, sort, selected, onSort, onSelect }: ContactTableProps) {
  const [field, direction] = sort.split(",");
  const selects = (label: string, ids: readonly string[]) => {
    const isOn = ids.every((id) => selected.has(id));
    const toggle = () => {
      const next = new Set(selected);
      for (const id of ids) isOn ? next.delete(id) : next.add(id);
      onSelect(next);
    };
    return <input type="checkbox" aria-label={label} checked={isOn} onChange={toggle} />;
  };
  const heading = ({ name, text }: Column) => {
    if (name === "stamps") return text;
    const isOwn = name === field;
    return (
      <button
        type="button"
        class="sort-by"
        onClick={() => onSort(`${name},${isOwn && direction === "asc" ? "desc" : "asc"}`)}
      >
        {text} <span aria-hidden="true">{isOwn ? (direction === "asc" ? "↑" : "↓") : ""}</span>
      </button>
    );
  };
  return (
    <div class="panel">
      <table class="contacts">
        <thead>
          <tr>
            {may("user_tag:write") && (
              <th scope="col" class="pick">
                {selects(
                  "Select all on this page",
                  contacts.map(({ id }) => id),
                )}
              </th>
            )}
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                class={column.name}
                {...(column.name === field && {
                  "aria-sort": direction === "asc" ? ("ascending" as const) : ("descending" as const),
                })}
              >
                {heading(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {contacts.map((contact) => (
            <tr key={contact.id}>
              {may("user_tag:write") && (
                <td class="pick">{selects(`Select ${nameOf(contact)}`, [contact.id])}</td>
              )}
              {columns.map(({ name, class: more = "", cell }) => (
                <td key={name} class={`${name} ${more}`}>
                  {cell(contact, templates)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The stamps of each card, with its name where there is more than one. */
function progressOf({ stampProgress = [] }: Contact, templates: readonly Template[]) {
  return stampProgress.slice(0, 3).map(({ passId, templateId, currentStamps, maxStamps }) => (
    <span key={passId} class="chip" title={templates.find(({ id }) => id === templateId)?.name ?? ""}>
      {currentStamps}/{maxStamps}
    </span>
  ));
}
