/** JSON that Meilisearch reads: its parser refuses halves of surrogate pairs (RFC 8259, 8.2). */

const half = /\\ud[89a-f][0-9a-f]{2}/

/** As `JSON.stringify`; a half in a text becomes U+FFFD. Names of members are ours and have none. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value)
  // Looking for them in every text would take longer than writing it.
  return half.test(text) ? JSON.stringify(value, wellFormed) : text
}

const wellFormed = (_: string, value: unknown): unknown =>
  typeof value === 'string' ? value.toWellFormed() : value
