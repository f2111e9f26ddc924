import type { Contact } from "../../../../src/resources/contact.js";
import type { UserTag } from "../../../../src/resources/tag.js";
import type { Template } from "../../../../src/resources/template.js";
import { shownEmail } from "../../../../src/values/joined-address.js";
import { dayText } from "../parts/words.js";
import type { ColumnName } from "./columns.js";
import { type PageFacts, visitOf } from "./page-facts.js";

interface ContactCellProps {
  readonly name: ColumnName;
  readonly contact: Contact;
  readonly templates: readonly Template[];
  readonly tags: readonly UserTag[];
  readonly facts: PageFacts | null;
}

const visitWords = {
  today: "Today",
  week: "Last 7 days",
  month: "Last 30 days",
  away: "Longer ago",
  long: "Longer ago",
  never: "Never",
} as const;

/** One cell of the list; empty for what is not known, or not yet. */
export function ContactCell({ name, contact, templates, tags, facts }: ContactCellProps) {
  const { id, email, phone, createdAt } = contact;
  switch (name) {
    case "email":
      return <bdi>{shownEmail(email) ?? phone}</bdi>;
    case "phone":
      return <bdi class="quiet">{phone}</bdi>;
    case "stamps":
      return <Progress contact={contact} templates={templates} />;
    case "rewards":
      return facts?.rewards?.has(id) ? <span class="chip good">Reward waiting</span> : null;
    case "visit": {
      const visit = facts && visitOf(facts, id);
      return visit === null ? null : <span class="quiet">{visitWords[visit]}</span>;
    }
    case "wallet":
      return facts?.wallet?.has(id) ? <span class="chip">In a wallet</span> : null;
    case "tags":
      return <Tags tags={tags.filter(({ slug }) => facts?.tags.get(slug)?.has(id))} />;
    default:
      return <span class="quiet number">{dayText(createdAt)}</span>;
  }
}

function Tags({ tags }: { readonly tags: readonly UserTag[] }) {
  return tags.map(({ slug, name, color }) => (
    <span key={slug} class="chip">
      <span class="dot" style={{ "--dot": color }} />
      <bdi>{name}</bdi>
    </span>
  ));
}

/** The stamps of each card, with its name where somebody points at it. */
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
