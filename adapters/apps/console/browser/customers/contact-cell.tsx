import type { Template } from "../../../../../src/cards/schema.js";
import type { Contact } from "../../../../../src/customers/contact-schema.js";
import type { UserTag } from "../../../../../src/tags/schema.js";
import { customers as words } from "../words/en/customers.js";
import { dayText } from "../words/en/forms.js";
import type { ColumnName } from "./columns.js";

interface ContactCellProps {
  readonly name: ColumnName;
  readonly contact: Contact;
  readonly templates: readonly Template[];
  readonly tags: readonly UserTag[];
}

/** Maximum number of tags shown in a row. */
const MOST_TAGS = 3;

/** A cell in the customer list. The cell is empty if its value is unknown. */
export function ContactCell({ name, contact, templates, tags }: ContactCellProps) {
  const { email, phone, createdAt, summary } = contact;
  const cards = summary?.cards ?? null;
  switch (name) {
    case "email":
      return <bdi>{email ?? phone}</bdi>;
    case "phone":
      return <bdi class="quiet">{phone}</bdi>;
    case "stamps":
      return <Progress contact={contact} templates={templates} />;
    case "rewards":
      return cards !== null && cards.rewardsAvailable > 0 ? (
        <span class="chip good">{words.rewardsWaiting(cards.rewardsAvailable)}</span>
      ) : null;
    case "visit":
      return cards && <span class="quiet">{visitText(cards.lastVisitAt)}</span>;
    case "wallet":
      return cards?.isInWallet === true ? <span class="chip">{words.inWallet}</span> : null;
    case "tags":
      return <Tags slugs={summary?.tags ?? []} tags={tags} />;
    default:
      return <span class="quiet number">{dayText(createdAt)}</span>;
  }
}

/** Formats the day of a visit in the device's time zone. */
function visitText(at: string | null): string {
  if (at === null) return words.never;
  return dayText(at) === dayText(new Date().toISOString()) ? words.today : dayText(at);
}

interface TagsProps {
  readonly slugs: readonly string[];
  /** All of the organization's tags, used to look up names and colors. */
  readonly tags: readonly UserTag[];
}

function Tags({ slugs, tags }: TagsProps) {
  const more = slugs.slice(MOST_TAGS);
  const nameOf = (slug: string) => tags.find((tag) => tag.slug === slug)?.name ?? slug;
  return (
    <>
      {slugs.slice(0, MOST_TAGS).map((slug) => (
        <span key={slug} class="chip">
          <span class="dot" style={{ "--dot": tags.find((tag) => tag.slug === slug)?.color }} />
          <bdi>{nameOf(slug)}</bdi>
        </span>
      ))}
      {more.length > 0 && (
        <span class="chip number" title={more.map(nameOf).join(", ")}>
          +{more.length}
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
