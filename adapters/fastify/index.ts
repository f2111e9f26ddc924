export { type FrameworkErrorsOptions, frameworkErrors } from "./framework-errors.js";
export { type LoyaltyPluginOptions, loyaltyPlugin } from "./loyalty-plugin.js";
