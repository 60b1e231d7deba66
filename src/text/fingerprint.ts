/** Fingerprints: numbers by which a search engine finds texts in a numeric column. */

import { hash } from 'node:crypto'

/** Returns 48 bits of the SHA-256 of a text, which a number holds exactly. Callers compare the texts of hits, too. */
export const fingerprint = (text: string): number =>
  Number.parseInt(hash('sha256', text, 'hex').slice(0, 12), 16)
