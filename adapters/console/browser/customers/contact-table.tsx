import type { Contact } from "../../../../src/resources/contact.js";
import type { Template } from "../../../../src/resources/template.js";
import { shownEmail } from "../../../../src/values/joined-address.js";
import { Link } from "../app/router.js";
import { may } from "../app/session.js";
import { dayText } from "../parts/words.js";
import { nameOf } from "./contact-list.js";

interface ContactTableProps {
  readonly contacts: readonly Contact[];
  readonly templates: readonly Template[];
  /** `name,asc` */
  readonly sort: string;
  readonly selected: ReadonlySet<string>;
  readonly onSort: (sort: string) => void;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}

const columns = [
  { field: "name", text: "Name" },
  { field: "email", text: "Email" },
  { field: "createdAt", text: "Added" },
] as const;

export function ContactTable({ contacts, templates, sort, selected, onSort, onSelect }: ContactTableProps) {
  const [field, direction] = sort.split(",");
  const areAll = contacts.every(({ id }) => selected.has(id));
  const toggle = (ids: readonly string[], isOn: boolean) => {
    const next = new Set(selected);
    for (const id of ids) isOn ? next.add(id) : next.delete(id);
    onSelect(next);
  };
  const heading = ({ field: own, text }: (typeof columns)[number]) => {
    const isOwn = own === field;
    return (
      <th
        key={own}
        scope="col"
        class={own}
        {...(isOwn && {
          "aria-sort": direction === "asc" ? ("ascending" as const) : ("descending" as const),
        })}
      >
        <button
          type="button"
          class="sort-by"
          onClick={() => onSort(`${own},${isOwn && direction === "asc" ? "desc" : "asc"}`)}
        >
          {text} <span aria-hidden="true">{isOwn ? (direction === "asc" ? "↑" : "↓") : ""}</span>
        </button>
      </th>
    );
  };
  return (
    <div class="panel">
      <table class="contacts">
        <thead>
          <tr>
            {may("user_tag:write") && (
              <th scope="col" class="pick">
                <input
                  type="checkbox"
                  aria-label="Select all on this page"
                  checked={areAll}
                  onChange={() =>
                    toggle(
                      contacts.map(({ id }) => id),
                      !areAll,
                    )
                  }
                />
              </th>
            )}
            {columns.slice(0, 2).map(heading)}
            <th scope="col" class="stamps">
              Stamps
            </th>
            {columns.slice(2).map(heading)}
          </tr>
        </thead>
        <tbody>
          {contacts.map((contact) => (
            <tr key={contact.id}>
              {may("user_tag:write") && (
                <td class="pick">
                  <input
                    type="checkbox"
                    aria-label={`Select ${nameOf(contact)}`}
                    checked={selected.has(contact.id)}
                    onChange={() => toggle([contact.id], !selected.has(contact.id))}
                  />
                </td>
              )}
              <td class="name">
                <Link to={`/customers/${encodeURIComponent(contact.id)}`}>
                  <bdi>{nameOf(contact)}</bdi>
                </Link>
              </td>
              <td class="email">
                <bdi>{shownEmail(contact.email)}</bdi>
                {contact.phone !== null && <bdi class="quiet phone">{contact.phone}</bdi>}
              </td>
              <td class="stamps number">{progressOf(contact, templates)}</td>
              <td class="createdAt quiet number">{dayText(contact.createdAt)}</td>
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
