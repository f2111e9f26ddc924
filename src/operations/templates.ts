import * as z from "zod";
import {
  createTemplateSchema,
  ensureTemplateSchema,
  templateSchema,
  updateTemplateSchema,
} from "../resources/template.js";
import type { Operations } from "./operation.js";

/** The operations on the templates that passes are issued from. */
export const templateOperations = {
  create: {
    operationId: "createTemplate",
    summary: "Create a template",
    description: "`maxStamps` is required for a `STAMP_CARD`, and only for it.",
    answer: "The new template.",
    scope: "template:create",
    body: createTemplateSchema,
    status: 201,
    result: templateSchema,
    errors: ["template_already_exists", "too_many_pictures", "too_many_templates"],
  },
  ensure: {
    operationId: "ensureTemplate",
    summary: "Get the template of a key, or create it",
    description: [
      "The key is the host's own, so the call can be made at every start. A template that has the key comes back unchanged",
      "with 200, whatever the other fields say; a new one with 201. The scope `template:read` is needed too.",
    ].join(" "),
    answer: "The template of this key.",
    scope: ["template:create", "template:read"],
    body: ensureTemplateSchema,
    statusOfNew: 201,
    result: templateSchema,
    errors: ["too_many_pictures", "too_many_templates"],
  },
  list: {
    operationId: "listTemplates",
    summary: "List all templates",
    answer: "All templates, oldest first.",
    scope: "template:read",
    result: z.array(templateSchema),
    errors: [],
  },
  get: {
    operationId: "getTemplate",
    summary: "Get a template",
    answer: "The template.",
    scope: "template:read",
    result: templateSchema,
    errors: ["resource_not_found"],
  },
  update: {
    operationId: "updateTemplate",
    summary: "Update a template",
    description:
      "Only sent fields change; the type never does. Passes made before keep their own `maxStamps`. A key can be set once.",
    answer: "The template as it is now.",
    scope: "template:update",
    body: updateTemplateSchema,
    result: templateSchema,
    errors: ["resource_not_found", "template_already_exists", "too_many_pictures"],
  },
  delete: {
    operationId: "deleteTemplate",
    summary: "Delete a template",
    description: "A template that passes were issued from can't be deleted.",
    answer: "The template is deleted.",
    scope: "template:delete",
    result: null,
    errors: ["resource_not_found", "template_in_use"],
  },
} satisfies Operations<"templates">;
