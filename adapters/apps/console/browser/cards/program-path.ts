/** The HTML ID of the design screen's section about purchases. */
export const programId = "purchases";

/** Returns the console's path of the section where the user edits what purchases give on a card. */
export const buildProgramPath = (templateId: string): string => `/cards/${templateId}/design#${programId}`;
