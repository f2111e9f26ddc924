import type { Once } from "../../src/idempotency/idempotent-call.js";
import type { OrganizationCalls } from "../../src/organization-calls.js";
import type { Call, IrregularPassCall } from "./call-table.js";
import { calls } from "./calls.js";

type PassCalls = Pick<OrganizationCalls["passes"], "get" | "delete" | IrregularPassCall>;

/** The calls of passes that choose between routes, or put their arguments elsewhere than others do. */
export function passCalls(
  call: (route: Call, ...args: unknown[]) => ReturnType<typeof JSON.parse>,
): PassCalls {
  const setInstallation = (passId: string, status: string, options: Once) =>
    call("PUT /v1/walletpasses/{walletPassId}/installation", passId, { status, ...options });
  return {
    get: async (passId, { templateId } = {}) =>
      templateId === undefined
        ? call(calls.passes.get, passId)
        : call("GET /v1/templates/{templateId}/walletpasses/{walletPassId}", templateId, passId),
    delete: async (passId, { templateId, ...options } = {}) =>
      templateId === undefined
        ? call(calls.passes.delete, passId, options)
        : call("DELETE /v1/templates/{templateId}/walletpasses/{walletPassId}", templateId, passId, options),
    lookup: async (qrCodeValue) => call("GET /v1/walletpasses/lookup", { qrCodeValue }),
    markInstalled: async (passId, options = {}) => setInstallation(passId, "INSTALLED", options),
    markUninstalled: async (passId, options = {}) => setInstallation(passId, "UNINSTALLED", options),
  };
}
