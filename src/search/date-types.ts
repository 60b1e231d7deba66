/** Dates that a search may be limited by. */

export const dateTypes = ['issued', 'modified', 'temporal'] as const
export type DateType = (typeof dateTypes)[number]
