/** Values in Meilisearch's filter language. */

/**
 * A value between quotes, in the form that the engine compares: stored text is NFKD and lower case there, and the values of
 * a filter are not brought into that form by every version (`IN` and the comparisons are not before 1.43).
 */
export const quoted = (value: string): string =>
  `"${value.normalize('NFKD').toLowerCase().replace(/["\\]/g, '\\$&')}"`
