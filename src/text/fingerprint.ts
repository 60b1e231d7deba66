/** A number for a text, so that an engine finds the few texts that may be meant by a column of numbers. */

import { hash } from 'node:crypto'

/** 48 bits of SHA-256: exact as a number; whoever finds by it compares the texts. */
export const fingerprint = (text: string): number =>
  Number.parseInt(hash('sha256', text, 'hex').slice(0, 12), 16)
