/** Which key this process uses where it asks a repository as any client does. */

import { hash } from 'node:crypto'
import type { KeyConfig } from '../api-key.ts'

export type OwnKeys = {
  /** For our own repository: a key that may write the catalogue, or everything where none is named. */
  here(catalogue?: string): string
  /** For a repository of others; nothing that only this process knows. */
  away(catalogue?: string): string
}

/**
 * The first configured key that covers the catalogue, by its name or as `*`; without such a one `inner` at home, and the first
 * configured one elsewhere.
 */
export function ownKeys(configured: KeyConfig, inner: string): OwnKeys {
  const covering = (catalogue: string | undefined): string | undefined =>
    Object.entries(configured).find(
      ([, permissions]) =>
        permissions.includes('*') || (catalogue !== undefined && permissions.includes(catalogue)),
    )?.[0]
  return {
    here: (catalogue) => covering(catalogue) ?? inner,
    away: (catalogue) => covering(catalogue) ?? Object.keys(configured)[0] ?? '',
  }
}

/** By which people tell keys apart without seeing them: the id that the log lists too. */
export const keyId = (key: string): string => hash('sha256', key, 'hex').slice(0, 8)
