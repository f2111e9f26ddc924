import type { SegmentFilter } from "../../../../../src/segments/filter-schema.js";
import type { Segment } from "../../../../../src/segments/schema.js";
import { api } from "../api/calls.js";
import {
  createCheckboxField,
  createOptionalTextField,
  createSelectField,
  createTextField,
  FormDialog,
  useForm,
} from "../components/form.js";
import { colors, savedSegments } from "../words/en/segments.js";

const fields = {
  name: createTextField(savedSegments.name, { maxLength: 100 }),
  description: createOptionalTextField(savedSegments.description, { rows: 2, maxLength: 500 }),
  color: createSelectField(savedSegments.color, [["", savedSegments.noColor], ...colors]),
  emitsEvents: createCheckboxField(savedSegments.reportsLabel, savedSegments.reportsHint),
};

interface NewDetailsProps {
  /** The filter to save. */
  readonly filter: SegmentFilter;
  readonly onClose: () => void;
  readonly onSaved: (segment: Segment) => void;
}

/** A dialog that asks for a name and other details, and saves a filter as a new segment. */
export function SegmentDetails({ filter, onClose, onSaved }: NewDetailsProps) {
  const form = useForm(fields, {
    send: async ({ color, ...sent }) =>
      onSaved(await api.segments.create({ ...sent, color: color || null, filter })),
  });
  return (
    <FormDialog
      title={savedSegments.saveTitle}
      submitText={savedSegments.saveVerb}
      form={form}
      onClose={onClose}
    />
  );
}

interface EditDetailsProps {
  readonly segment: Segment;
  readonly onClose: () => void;
  readonly onSaved: (segment: Segment) => void;
}

/** A dialog for editing everything about a segment except its filter. */
export function EditDetails({ segment, onClose, onSaved }: EditDetailsProps) {
  const currentColor = segment.color ?? "";
  const isOther = currentColor !== "" && !colors.some(([value]) => value === currentColor);
  const choices = isOther
    ? {
        ...fields,
        color: createSelectField(savedSegments.color, [
          ["", savedSegments.noColor],
          ...colors,
          [currentColor, currentColor],
        ]),
      }
    : fields;
  const form = useForm(choices, {
    saved: segment,
    send: async ({ color, ...sent }) =>
      onSaved(await api.segments.update(segment.slug, { ...sent, color: color || null })),
  });
  return (
    <FormDialog
      title={savedSegments.detailsTitle}
      submitText={savedSegments.saveFilter}
      form={form}
      onClose={onClose}
    />
  );
}
