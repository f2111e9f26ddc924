export {
  type FrameworkErrorsOptions,
  frameworkErrors,
  type LoyaltyPluginOptions,
  loyaltyPlugin,
} from "./loyalty-plugin.js";
